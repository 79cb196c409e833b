/** Stands for rows that are being loaded. It never says that there are none. */
export function Skeleton({ rows, label }: { readonly rows: number; readonly label: string }) {
  return (
    <output aria-label={label} className="flex flex-col gap-2">
      {Array.from({ length: rows }, (_row, index) => (
        <span key={index} className="block h-8 rounded-sm bg-sunken" />
      ))}
    </output>
  );
}

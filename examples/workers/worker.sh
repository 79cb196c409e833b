#!/bin/sh
# A complete worker for any command, with curl and POSIX tools. JSON is read and written by python3, because sed cannot
# do it for every prompt.
#
#   CONTROL_PLANE_URL=http://127.0.0.1:3000 WORKER_API_KEY=ak_... WORKER_QUEUE=lab \
#     WORKER_COMMAND='tr a-z A-Z' sh examples/workers/worker.sh
#
# It runs one execution at a time: WORKER_COMMAND gets the prompt on its standard input, and its output is the response.
# If the command exits with another code than 0, the execution fails with its standard error. The command must be one
# program; put a pipeline into a script.
set -eu
: "${CONTROL_PLANE_URL:?}" "${WORKER_API_KEY:?}" "${WORKER_COMMAND:?}"
api=${CONTROL_PLANE_URL%/}/api/v1
folder=$(mktemp -d)
# In a file that only this user can read: arguments are visible to every user of the machine.
printf 'header = "%s"\n' "Authorization: Bearer $WORKER_API_KEY" 'Content-Type: application/json' >"$folder/key"
unset WORKER_API_KEY

# send NAME METHOD PATH [curl options]: replaces this subshell by curl, which sends $folder/NAME.json, stores the response
# in $folder/NAME and prints its status. It retries while the control plane is unreachable or busy, and waits as long as
# Retry-After says.
send() {
  name=$1 method=$2 path=$3
  shift 3
  exec curl -sS --config "$folder/key" --max-time 60 --retry 8 --retry-all-errors --retry-max-time 120 \
    -X "$method" -D "$folder/$name.headers" -o "$folder/$name" -w '%{http_code}' \
    --data-binary "@$folder/$name.json" "$@" "$api$path"
}

# answer NAME: returns 0 if the response is a success, 9 for a status of 404 or 409, which end a run, else 1.
answer() {
  status=$(cat "$folder/$1.status")
  case $status in
    2*) return 0 ;;
  esac
  echo "$1: $status $(cat "$folder/$1" 2>/dev/null)" >&2
  case $status in
    404 | 409) return 9 ;;
  esac
  return 1
}

# request NAME METHOD PATH [curl options]: sends a request and returns what `answer` returns.
request() {
  while :; do
    (send "$@") >"$folder/$1.status" || echo 000 >"$folder/$1.status"
    # An earlier request with the same event is still running.
    grep -qi '^x-error-code: idempotent_request_running' "$folder/$1.headers" 2>/dev/null || break
    sleep 1
  done
  answer "$1"
}

# body NAME JSON: stores a request body.
body() {
  printf '%s' "$2" >"$folder/$1.json"
}

# body_of FILE NAME JSON: stores a request body. The word TEXT in it becomes the text of the file, cut to the limit of a
# body (1 MiB).
body_of() {
  python3 - "$1" "$3" >"$folder/$2.json" <<'PYTHON'
import json, sys
text = open(sys.argv[1], encoding="utf-8", errors="replace").read()[:150000].replace("\0", "\ufffd")
sys.stdout.buffer.write(sys.argv[2].replace("TEXT", json.dumps(text, ensure_ascii=False)).encode())
PYTHON
}

# Splits the first lease of the poll into the files id, prompt, lease (a header for curl) and event (another one).
split_lease() {
  python3 - "$folder" <<'PYTHON'
import json, sys
folder = sys.argv[1]
lease = json.load(open(f"{folder}/poll", encoding="utf-8"))[0]
files = {
    "id": lease["execution"]["id"],
    "prompt": lease["execution"]["prompt"] or "",
    "lease": f'header = "X-Lease-Token: {lease["lease_token"]}"\n',
    # With a key of its own, the event is stored once, even if it is sent again.
    "event": f'header = "Idempotency-Key: message-{lease["attempt"]}"\n',
}
for name, text in files.items():
    with open(f"{folder}/{name}", "w", encoding="utf-8", newline="") as file:
        file.write(text)
PYTHON
}

# Every interval: renews the lease of the run and applies the commands to its process. Commands are repeated.
heartbeats() {
  trap 'kill "$sleeping"; exit 0' TERM
  while :; do
    sleep "$interval" &
    sleeping=$!
    wait "$sleeping"
    running=$(cat "$folder/running" 2>/dev/null) || running=
    body heartbeat "{\"execution_ids\": [${running:+\"$running\"}]}"
    request heartbeat POST "/workers/$worker/heartbeat" --retry 0 || continue
    python3 -c '
import json, sys
for command in json.load(open(sys.argv[1]))["commands"]:
    if command["execution_id"] == sys.argv[2]:
        print(command["command"])' "$folder/heartbeat" "$running" | while read -r command; do
      process=$(cat "$folder/process" 2>/dev/null) || continue
      case $command in
        pause) kill -STOP "$process" ;;
        resume) kill -CONT "$process" ;;
        cancel) kill -TERM "$process" && kill -CONT "$process" ;;
      esac || true
    done
  done
}

# Runs the lease in $folder/poll. A run whose lease is lost writes nothing, because another worker has the execution.
run() {
  split_lease
  execution=$(cat "$folder/id")
  echo "$execution" >"$folder/running"
  body run '{"status": "running"}'
  request run PATCH "/executions/$execution" --config "$folder/lease" || return 0

  sh -c "exec $WORKER_COMMAND" <"$folder/prompt" >"$folder/output" 2>"$folder/errors" &
  process=$!
  echo "$process" >"$folder/process"
  code=0
  # A signal to this worker interrupts the wait, not the command.
  while :; do
    wait "$process" && code=0 || code=$?
    kill -0 "$process" 2>/dev/null || break
  done
  rm -f "$folder/process"

  if [ "$code" = 0 ]; then
    body_of "$folder/output" run '{"event_type": "message", "data": {"role": "assistant", "content": TEXT}}'
    request run POST "/executions/$execution/events" --config "$folder/lease" --config "$folder/event" ||
      [ $? != 9 ] || return 0
    body_of "$folder/output" run '{"status": "completed", "response": TEXT}'
  else
    echo "exit code $code" >>"$folder/errors"
    body_of "$folder/errors" run '{"status": "failed", "error_message": TEXT}'
  fi
  request run PATCH "/executions/$execution" --config "$folder/lease" && ended=0 || ended=$?
  if [ "$ended" = 1 ]; then
    # Without a final state, the execution would run again until its attempts are used up.
    body run '{"status": "failed", "error_message": "The result could not be stored"}'
    request run PATCH "/executions/$execution" --config "$folder/lease" || true
  fi
  echo "$execution ended with exit code $code"
}

worker='' heartbeat='' polling=no stopping=no
# Releases the leases and removes the files. Another exit code than 0 is reported as a crash.
finish() {
  code=$?
  trap - EXIT
  trap '' TERM INT
  if [ -n "$heartbeat" ]; then
    kill "$heartbeat" 2>/dev/null || true
    wait "$heartbeat" || true
  fi
  if [ -n "$worker" ]; then
    body disconnect "{\"reason\": \"the worker has ended\", \"exit_code\": $code}"
    request disconnect POST "/workers/$worker/disconnect" --retry 0 || true
  fi
  rm -rf "$folder"
  exit "$code"
}
trap finish EXIT
# An idle worker ends at once, a busy worker after its run.
trap 'stopping=yes; [ "$polling" = no ] || { kill "$poll" 2>/dev/null; exit 0; }' TERM INT

body register "{\"worker_queue_name\": \"${WORKER_QUEUE:-default}\", \"hostname\": \"$(uname -n)\"}"
request register POST /workers/register
registered=$(python3 -c '
import json, sys
response = json.load(open(sys.argv[1]))
print(response["worker_id"], response["heartbeat_interval"])' "$folder/register")
worker=${registered% *} interval=${registered#* }
heartbeats &
heartbeat=$!
echo "worker ready: $worker"

body poll '{"max": 1, "wait_seconds": 20}'
while [ "$stopping" = no ]; do
  # In the background, because a shell handles a signal only after its foreground command.
  send poll POST "/workers/$worker/poll" >"$folder/poll.status" &
  poll=$! polling=yes
  wait "$poll" || continue
  polling=no
  answer poll
  rm -f "$folder/running"
  if [ "$(cat "$folder/poll")" != '[]' ]; then run; fi
  rm -f "$folder/running"
done

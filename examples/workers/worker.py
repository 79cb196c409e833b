"""A complete worker in Python 3.9 or newer, with the standard library only.

    CONTROL_PLANE_URL=http://127.0.0.1:3000 WORKER_API_KEY=ak_... WORKER_QUEUE=lab python3 examples/workers/worker.py

It runs one execution at a time. Replace `work` with your own.
"""

import http.client
import itertools
import json
import math
import os
import signal
import socket
import sys
import threading
import time
import urllib.error
import urllib.request
import uuid

API = os.environ["CONTROL_PLANE_URL"].rstrip("/") + "/api/v1"
KEY = os.environ["WORKER_API_KEY"]
QUEUE = os.environ.get("WORKER_QUEUE", "default")
POLL_SECONDS = 20
# Attempts of a write. With the pauses they take about 90 s, which is longer than a restart of the control plane.
TRIES = 8
MAX_PAUSE_SECONDS = 30
TRANSIENT_STATUSES = (408, 429, 502, 503, 504)
UNREACHABLE = (OSError, http.client.HTTPException)


def work(lease, run):
    """Runs one execution and returns its response. Raise any exception to fail the execution."""
    agent = lease["agent"]
    if agent is None:
        raise RuntimeError("This worker runs single agents only")
    words = f"{agent['name']} received: {lease['execution']['prompt']}".split(" ")
    for word in words:
        run.checkpoint()
        run.publish("message_chunk", {"role": "assistant", "content": word + " "})
    return " ".join(words)


class Refused(Exception):
    """An error response that a retry does not change."""

    def __init__(self, status, code, text):
        super().__init__(f"{status} {code}: {text}")
        self.status = status
        self.code = code


class Abandoned(Exception):
    """The run was cancelled or its lease was lost: no further write is allowed."""


def request(method, path, body=None, headers=None, tries=TRIES):
    """Returns the JSON of the response. Retries while the control plane is unreachable or busy."""
    sent = {"Authorization": f"Bearer {KEY}", "Content-Type": "application/json", **(headers or {})}
    data = None if body is None else json.dumps(body).encode()
    for attempt in itertools.count(1):
        try:
            call = urllib.request.Request(API + path, data=data, headers=sent, method=method)
            with urllib.request.urlopen(call, timeout=POLL_SECONDS + 15) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            code = error.headers.get("X-Error-Code")
            # `idempotent_request_running`: an earlier request with the same event is still running.
            may_retry = error.code in TRANSIENT_STATUSES or code == "idempotent_request_running"
            if not may_retry or attempt >= tries:
                raise Refused(error.code, code, error.read().decode(errors="replace")) from None
            retry_after = error.headers.get("Retry-After", "")
        except UNREACHABLE:
            if attempt >= tries:
                raise
            retry_after = ""
        seconds = int(retry_after) if retry_after.isdigit() else 2 ** min(attempt - 1, 5)
        time.sleep(min(seconds, MAX_PAUSE_SECONDS))


class Run:
    """One lease. Every write carries its token, so a run that lost its lease cannot change anything."""

    def __init__(self, lease):
        self.execution_id = lease["execution"]["id"]
        self.lease = lease
        self.abandoned = threading.Event()
        self.unpaused = threading.Event()
        self.unpaused.set()

    def execute(self):
        try:
            self.write("PATCH", "", {"status": "running"})
            self.finish(self.final_state())
        except Abandoned:
            print(f"abandoned {self.execution_id}", flush=True)

    def final_state(self):
        try:
            response = work(self.lease, self)
        except Abandoned:
            raise
        except Exception as error:
            return {"status": "failed", "error_message": str(error) or type(error).__name__}
        self.publish("message", {"role": "assistant", "content": response, "message_id": str(uuid.uuid4())})
        return {"status": "completed", "response": response}

    def finish(self, state):
        try:
            self.write("PATCH", "", state)
        except Refused as error:
            # Without a final state, the execution would run again until its attempts are used up.
            state = {"status": "failed", "error_message": f"The result could not be stored: {error}"[:1000]}
            self.write("PATCH", "", state)
        print(f"{state['status']} {self.execution_id}", flush=True)

    def publish(self, event_type, data):
        """Publishes an event. With its own key, an event whose response was lost is stored once."""
        key = {"Idempotency-Key": str(uuid.uuid4())}
        try:
            self.write("POST", "/events", {"event_type": event_type, "data": data}, key)
        except Refused as error:
            print(f"event {event_type} dropped: {error}", file=sys.stderr, flush=True)

    def checkpoint(self):
        """Call it often: waits while the run is paused and ends a run that was cancelled."""
        self.unpaused.wait()
        if self.abandoned.is_set():
            raise Abandoned

    def write(self, method, path, body, headers=None):
        self.checkpoint()
        token = {"X-Lease-Token": self.lease["lease_token"], **(headers or {})}
        try:
            request(method, f"/executions/{self.execution_id}{path}", body, token)
        except Refused as error:
            if error.status not in (404, 409):
                raise
            raise Abandoned from None

    def command(self, name):
        """Applies a command of the control plane. Commands are repeated, so each of them is idempotent."""
        if name == "pause":
            self.unpaused.clear()
        elif name == "resume":
            self.unpaused.set()
        elif name == "cancel":
            self.abandoned.set()
            self.unpaused.set()


class Worker:
    def __init__(self):
        self.run = None
        self.polling = False
        self.stopping = False
        body = {"worker_queue_name": QUEUE, "hostname": socket.gethostname()}
        registered = request("POST", "/workers/register", body)
        self.path = f"/workers/{registered['worker_id']}"
        self.interval = registered["heartbeat_interval"]
        print(f"worker ready: {registered['worker_id']}", flush=True)

    def serve(self):
        threading.Thread(target=self.heartbeats, daemon=True).start()
        while not self.stopping:
            self.polling = True
            leases = request("POST", f"{self.path}/poll", {"max": 1, "wait_seconds": POLL_SECONDS}, tries=math.inf)
            self.polling = False
            for lease in leases:
                self.run = Run(lease)
                self.run.execute()
                self.run = None

    def heartbeats(self):
        while True:
            time.sleep(self.interval)
            run = self.run
            running = [] if run is None else [run.execution_id]
            try:
                response = request("POST", f"{self.path}/heartbeat", {"execution_ids": running}, tries=1)
            except (Refused, *UNREACHABLE) as error:
                print(f"heartbeat failed: {error}", file=sys.stderr, flush=True)
                continue
            for command in response["commands"]:
                if command["execution_id"] in running:
                    run.command(command["command"])

    def stop(self, *_):
        """Ends an idle worker at once; a worker with a run ends after it."""
        self.stopping = True
        if self.polling:
            sys.exit(0)

    def disconnect(self, reason, exit_code, error_message=None):
        """Releases all leases, so that another worker continues at once."""
        body = {"reason": reason, "exit_code": exit_code, "error_message": error_message}
        try:
            request("POST", f"{self.path}/disconnect", body, tries=1)
        except (Refused, *UNREACHABLE) as error:
            print(f"not disconnected: {error}", file=sys.stderr, flush=True)


def main():
    worker = Worker()
    signal.signal(signal.SIGTERM, worker.stop)
    signal.signal(signal.SIGINT, worker.stop)
    try:
        worker.serve()
    except SystemExit:
        pass
    except Exception as error:
        worker.disconnect("crash", 1, repr(error))
        raise
    worker.disconnect("shutdown", 0)


if __name__ == "__main__":
    main()

"""Gunicorn's configuration: ``--config python:leaderboard.operations.processes.gunicorn leaderboard.wsgi``.

The same for the demo, for production and for the tests; the number of processes is gunicorn's own ``WEB_CONCURRENCY``.
"""

import contextlib
import fcntl
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

from leaderboard.operations.processes.gunicorn_logs import RedactingLogger

worker_class = "gthread"
threads = 4
timeout = 60
graceful_timeout = 20
keepalive = 5
control_socket_disable = True
limit_request_line = 4094
# gunicorn itself trusts no proxy; by default, it would trust every client on this machine. Django reads
# X-Forwarded-Proto if BEHIND_PROXY is set.
forwarded_allow_ips = ""
# Heartbeats go through a file that must not lie on a slow or read-only disk.
worker_tmp_dir = "/dev/shm" if Path("/dev/shm").is_dir() else None  # noqa: S108
accesslog = None
errorlog = "-"
logger_class = RedactingLogger

# The processes of this server count requests in files here, so that each of them can report the total.
# prometheus_client looks for the folder when it is imported, so it may only be imported afterwards.
_own_folder = "PROMETHEUS_MULTIPROC_DIR" not in os.environ
if _own_folder:
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = tempfile.mkdtemp(prefix="manyhop-metrics-")


def post_worker_init(worker: Any) -> None:
    """Keep this process's temporary files, most of all its uploads, on the disk of the data directory, because /tmp may
    be small or in memory. Those of processes that were killed are deleted. ``TMPDIR`` names another place."""
    from django.conf import settings

    del worker
    if "TMPDIR" in os.environ:
        return
    parent = Path(settings.DATA_DIR, "temporary")
    with contextlib.suppress(OSError):  # a read-only disk: /tmp is still there
        parent.mkdir(parents=True, exist_ok=True)
        turn = _locked(parent, fcntl.LOCK_EX)  # so that nobody deletes a folder before its process has locked it
        for other in parent.iterdir():
            # Containers that share this disk know nothing of each other's processes, but see their locks.
            with contextlib.suppress(BlockingIOError):
                os.close(_locked(other, fcntl.LOCK_EX | fcntl.LOCK_NB))
                shutil.rmtree(other, ignore_errors=True)
        tempfile.tempdir = tempfile.mkdtemp(dir=parent)
        _locked(Path(tempfile.tempdir), fcntl.LOCK_EX)  # until this process ends
        os.close(turn)


def _locked(folder: Path, how: int) -> int:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, how)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def worker_exit(server: Any, worker: Any) -> None:
    del server, worker
    if tempfile.tempdir and Path(tempfile.tempdir).parent.name == "temporary":
        shutil.rmtree(tempfile.tempdir, ignore_errors=True)


def child_exit(server: Any, worker: Any) -> None:
    """Preserve the counts of a process that ended; only its gauges are removed."""
    del server
    from prometheus_client.multiprocess import mark_process_dead

    mark_process_dead(worker.pid)  # type: ignore[no-untyped-call]


def on_exit(server: Any) -> None:
    del server
    if _own_folder:
        shutil.rmtree(os.environ["PROMETHEUS_MULTIPROC_DIR"], ignore_errors=True)

"""Shows that a run on a cluster does not depend on luck: two nodes on this machine, many small files, a worker that is
killed in the middle, a run that is stopped and started again, and one with a single worker. All must give the same manifest.

    python cluster_trial.py --files 20000 --out /tmp/trial
"""

from __future__ import annotations

import argparse
import logging
import multiprocessing
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any, List

import menagerie.ray

BROKEN = b"BO3D and then nothing that anybody could read"


def make_files(folder: Path, count: int) -> None:
    """Sample models under many names; one in a hundred is broken, one in a thousand never ends."""
    samples = folder.parent / "samples"
    subprocess.run([sys.executable, "-m", "menagerie", "sample", samples], check=True, stdout=subprocess.DEVNULL)
    models = [path for path in sorted(samples.iterdir()) if path.suffix not in (".mtl", ".png")]
    contents = [(path.suffix, path.read_bytes()) for path in models]
    for i in range(count):
        place = folder / f"{i // 1000:03}"
        place.mkdir(parents=True, exist_ok=True)
        suffix, content = contents[i % len(contents)]
        if i % 100 == 99:
            suffix, content = ".bo3d", BROKEN
        if i % 5000 == 2500:
            os.mkfifo(place / f"{i:06}.bmd")
        else:
            (place / f"{i:06}{suffix}").write_bytes(content)


def run(name: str, files: Path, out: Path, **options: Any) -> menagerie.ray.Summary:
    if not options.pop("resume", False):
        shutil.rmtree(out, ignore_errors=True)
    began = time.perf_counter()
    summary = menagerie.ray.convert(files, out, thumbnails=64, **options)
    took = time.perf_counter() - began
    done = summary.files - summary.resumed
    print(f"{name}: {done} files in {took:.1f} s, {done / took:.1f} a second, {summary.resumed} from before, "
          f"{summary.statuses}, hash {summary.hash[:16]}", flush=True)
    return summary


def workers() -> List[int]:
    """The processes of Ray that work on tasks."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            command = (entry / "cmdline").read_bytes()
        except OSError:
            continue
        # Ray calls its workers after what they do.
        if entry.name.isdigit() and command.startswith(b"ray::Map"):
            found.append(int(entry.name))
    return found


def kill_one_after(parts: Path, count: int) -> threading.Thread:
    """Kills a worker when so many parts are written."""

    def wait_and_kill() -> None:
        while len(list(parts.glob("*.parquet"))) < count:
            time.sleep(0.05)
        for _ in range(200):
            at_work = workers()
            if at_work:
                os.kill(at_work[0], signal.SIGKILL)
                print(f"killed worker {at_work[0]}", flush=True)
                return
            time.sleep(0.02)
        print("no worker was found to be killed", flush=True)

    thread = threading.Thread(target=wait_and_kill, daemon=True)
    thread.start()
    return thread


def stopped(address: str, files: Path, out: Path) -> None:
    """A run that its own process will not survive."""
    import ray

    ray.init(address=address, log_to_driver=False)
    menagerie.ray.convert(files, out, thumbnails=64)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=20_000)
    parser.add_argument("--out", type=Path, default=Path("cluster-trial"))
    arguments = parser.parse_args()
    import ray
    from ray.cluster_utils import Cluster

    out = arguments.out.absolute()
    shutil.rmtree(out, ignore_errors=True)
    files = out / "models"
    make_files(files, arguments.files)
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "object_store_memory": 200 << 20})
    cluster.add_node(num_cpus=1, object_store_memory=200 << 20)
    ray.init(address=cluster.address, log_to_driver=False)
    logging.getLogger("ray.data").setLevel(logging.WARNING)
    print(f"{len(ray.nodes())} nodes, {arguments.files} files", flush=True)
    tasks = arguments.files // 64
    plain = run("undisturbed", files, out / "a")
    killer = kill_one_after(out / "b/manifest.parts", tasks // 2)
    killed = run("a worker killed", files, out / "b")
    killer.join(timeout=10)
    other = multiprocessing.get_context("spawn").Process(target=stopped, args=(cluster.address, files, out / "c"))
    other.start()
    while len(list((out / "c/manifest.parts").glob("*.parquet"))) < tasks // 3:
        time.sleep(0.1)
    os.kill(other.pid or 0, signal.SIGKILL)
    other.join()
    time.sleep(2)
    resumed = run("stopped and started again", files, out / "c", resume=True)
    small = files / "000"
    one = run("one worker", small, out / "d", concurrency=1)
    two = run("two workers", small, out / "e", files_per_task=10)
    ray.shutdown()
    cluster.shutdown()
    same = plain.hash == killed.hash == resumed.hash and one.hash == two.hash
    print("all manifests are the same" if same else "THE MANIFESTS DIFFER")
    sys.exit(0 if same and resumed.resumed > 0 else 1)


if __name__ == "__main__":
    main()

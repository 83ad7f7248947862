#!/usr/bin/env python3
"""Install the Helm chart on a real Kubernetes API server, whose nodes run no containers (conformance/kube/build makes it).

What is checked: the manifests are the chart's; the server takes them strictly, in a namespace of the standard "restricted", without a
warning; an update reaches both coordinators though the standby is never ready; a drain moves the owner, and never takes both; the
workers follow the metric from 0 to 300 and back. How the containers behave is checked with processes, by cmd/quintain (TestManifests).
"""

import argparse
import json
import os
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "kube"))
import cluster  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CHART = os.path.join(ROOT, "docs/deploy/helm/quintain")
MANIFESTS = os.path.join(ROOT, "docs/deploy/manifests")
SPACE, RELEASE = "quintain", "run"
VALUES = ["--namespace", SPACE, "-f", os.path.join(MANIFESTS, "values.yaml")]
COORDINATORS = "app.kubernetes.io/component=coordinator"
WORKER = "deployment/run-quintain-worker"
faults = []


def expect(what, holds, found=""):
    print(f"  {'ok' if holds else 'FAULT'}: {what}{f' ({found})' if found else ''}", flush=True)
    if not holds:
        faults.append(what)


def render(kube, *more):
    return kube.helm("template", RELEASE, CHART, *VALUES, *more)


def manifests(kube):
    """The rendered copy, and what the chart and the server refuse."""
    print("manifests", flush=True)
    path = os.path.join(MANIFESTS, "quintain.yaml")
    with open(path, encoding="utf-8") as f:
        expect("docs/deploy/manifests/quintain.yaml is the chart, rendered", f.read() == render(kube).stdout)
    for why, flags, says in [
        ("an unknown key", ["--set", "worker.slotz=3"], "additional properties 'slotz' not allowed"),
        ("a standby without NATS", ["--set", "nats.url="], "a standby needs nats.url"),
        ("no key", ["--set", "keys.worker="], "keys.worker: is missing"),
        ("a short key", ["--set", "keys.trainer=short"], "/keys/trainer"),
        ("three coordinators", ["--set", "coordinator.replicas=3"], "/coordinator/replicas"),
        ("a backup without keys", ["--set", "backup.to=s3:bucket/runs"], "backup.secret: is missing"),
        ("a monitor without a key", ["--set", "serviceMonitor.enabled=true,keys.reader="], "keys.reader: is missing"),
        ("a digest that is none", ["--set", "image.digest=latest"], "/image/digest"),
        ("a backup to nowhere", ["--set", "backup.to=bucket,backup.secret=rclone"], "/backup/to"),
    ]:
        done = kube.helm("template", RELEASE, CHART, *VALUES, *flags, check=False)
        expect(f"the chart refuses {why}", done.returncode != 0 and says in done.stderr)
    with open(path, encoding="utf-8") as f:
        text = f.read()
    dry = ["apply", "--dry-run=server", "--validate=strict", "-f", "-"]
    done = kube.kubectl(*dry, text=text, check=False)
    expect("the server takes them strictly, without a warning", done.returncode == 0 and not done.stderr, done.stderr[:300] or f"{len(done.stdout.splitlines())} objects")
    done = kube.kubectl(*dry, text=text.replace("podManagementPolicy", "podManagmentPolicy"), check=False)
    expect("it refuses a misspelt field", done.returncode != 0 and "podManagmentPolicy" in done.stderr)
    one = render(kube, "--set", "coordinator.replicas=1,nats.url=,autoscaling.kind=").stdout
    done = kube.kubectl(*dry, text=one, check=False)
    expect("it takes one coordinator without NATS too", done.returncode == 0 and not done.stderr, done.stderr[:300])
    network = render(kube, "--set", "servers={https://engine,http://other:9001/v1},nats.url=nats://a\\,tls://b:4300").stdout.split("---\n")
    ports = [sorted({line.split()[-1] for line in part.splitlines() if " port: " in line}) for part in network if "kind: NetworkPolicy" in part]
    expect("pods may call the ports of their servers, and no others", ports == [["4222", "4300", "443", "9001", "http"], ["443", "9001", "http"]], str(ports))
    placed = render(kube, "--set", "image.digest=sha256:" + 64 * "a", "--set", "serviceAccountName=runner,coordinator.priorityClassName=high,worker.priorityClassName=low").stdout
    for what, n in (("@sha256:aaaa", 3), ("serviceAccountName: runner", 3), ("priorityClassName: high", 2), ("priorityClassName: low", 1), ("minReadySeconds: 30", 1), ("sizeLimit: 2Gi", 3)):
        expect(f"{n} objects have {what}", placed.count(what) == n, str(placed.count(what)))
    copied = render(kube, "--set", "backup.to=s3:bucket/runs,backup.secret=rclone").stdout
    done = kube.kubectl(*dry, text=copied, check=False)
    expect("it takes coordinators whose traces are copied", copied.count("name: backup\n") == 4 and done.returncode == 0 and not done.stderr, done.stderr[:300])


def prepare(kube):
    """The namespace, twelve nodes and a volume for each coordinator."""
    pods = {f"pod-security.kubernetes.io/{mode}": "restricted" for mode in ("enforce", "warn")}
    kube.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": SPACE, "labels": pods}})
    size = {"cpu": "64", "memory": "256Gi", "pods": "110"}
    kube.apply(*({"apiVersion": "v1", "kind": "Node", "metadata": {"name": f"node-{i}", "labels": {"kubernetes.io/hostname": f"node-{i}"}}, "status": {"allocatable": size, "capacity": size}} for i in range(12)))
    kube.apply(*({"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": f"volume-{i}"}, "spec": {
        "capacity": {"storage": "10Gi"}, "accessModes": ["ReadWriteOnce"], "hostPath": {"path": "/none"}}} for i in range(2)))
    cluster.wait("the namespace has no account", lambda: kube.kubectl("get", "serviceaccount", "default", "-n", SPACE, check=False).returncode == 0)
    cluster.wait("the nodes are not ready", lambda: kube.kubectl("get", "nodes").stdout.count(" Ready") == 12)


def ready(kube):
    return kube.get(WORKER, "-n", SPACE).get("status", {}).get("readyReplicas", 0)


def endpoints(kube):
    """The pods that the Service of the coordinator leads to."""
    slices = kube.get("endpointslices", "-n", SPACE, "-l", "kubernetes.io/service-name=run-quintain-coordinator")["items"]
    return [e["targetRef"]["name"] for s in slices for e in s.get("endpoints") or [] if e["conditions"].get("ready")]


def install(kube, election):
    print("install", flush=True)
    kube.helm("install", RELEASE, CHART, *VALUES, "--set", "autoscaling.kind=,worker.replicas=20")
    owner = cluster.wait("no coordinator is ready", lambda: election.owner())
    pods = cluster.wait("there is no standby", lambda: len(election.pods()) == 2 and election.pods())
    expect("the coordinators are on two nodes", len({p[2] for p in pods}) == 2)
    expect("the Service leads to the owner alone", cluster.wait("the Service leads nowhere", lambda: endpoints(kube)) == [owner[0]])
    cluster.wait("the workers are not ready", lambda: ready(kube) == 20)
    expect("20 workers are ready", True)


def update(kube, election):
    print("update", flush=True)
    before, began = {p[4] for p in election.pods()}, time.monotonic()
    kube.helm("upgrade", RELEASE, CHART, *VALUES, "--set", "autoscaling.kind=,worker.replicas=20,settings.run.group_size=8")
    cluster.wait("the update does not reach both coordinators", lambda: len(new := {p[4] for p in election.pods()}) == 2 and not new & before)
    cluster.wait("no coordinator is ready after the update", lambda: election.owner())
    cluster.wait("the workers are not updated", lambda: (s := kube.get(WORKER, "-n", SPACE)["status"]).get("updatedReplicas") == 20 and s.get("readyReplicas") == 20 and s["replicas"] == 20)
    expect("new settings restart both coordinators and all workers", True, f"{time.monotonic() - began:.0f} s")


def drain(kube, election):
    print("drain", flush=True)
    owner = election.owner()
    done = kube.kubectl("drain", owner[2], "--ignore-daemonsets", "--delete-emptydir-data", "--timeout=120s", check=False)
    expect("the node of the owner is drained", done.returncode == 0, done.stderr[-200:] if done.returncode else "")
    cluster.wait("there is no new owner", lambda: (new := election.owner()) and new[4] != owner[4])
    cluster.wait("there are not two coordinators", lambda: len(election.pods()) == 2)
    kube.kubectl("uncordon", owner[2])
    election.paused = True
    time.sleep(1)  # for the election that is under way
    pods = [p[0] for p in sorted(election.pods(), key=lambda p: not p[1])]
    evicted = [evict(kube, name) for name in pods]
    expect("the owner may be evicted, and then the standby not, until it is ready", evicted[0] == "" and "disruption budget" in evicted[1], evicted)
    election.paused = False
    cluster.wait("there is no owner again", lambda: election.owner())
    nodes = [f"node-{i}" for i in range(12)]
    cluster.wait("the workers are not ready", lambda: ready(kube) == 20)
    kube.kubectl("cordon", *nodes)
    workers = kube.kubectl("get", "pods", "-n", SPACE, "-l", "app.kubernetes.io/component=worker", "-o", "name").stdout.split()
    away = sum(evict(kube, name.removeprefix("pod/")) == "" for name in workers)
    kube.kubectl("uncordon", *nodes)
    expect("without room elsewhere, a quarter of the 20 workers may be evicted", away == 5, away)
    cluster.wait("the workers are not ready again", lambda: ready(kube) == 20)


def evict(kube, pod):
    """Why a pod is not evicted; empty: it is."""
    body = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": pod, "namespace": SPACE}}
    return kube.kubectl("create", "--raw", f"/api/v1/namespaces/{SPACE}/pods/{pod}/eviction", "-f", "-", text=json.dumps(body), check=False).stderr.strip()


def scale(kube, workers):
    print("scale", flush=True)
    with cluster.Metric(kube) as metric:
        kube.helm("upgrade", RELEASE, CHART, *VALUES, "--set", f"autoscaling.min=0,autoscaling.max={workers},autoscaling.stabilization=0,autoscaling.percent=100")
        for wanted in (0, workers, 0):
            metric.value, began = wanted, time.monotonic()
            cluster.wait(f"{wanted} workers are wanted, and {ready(kube)} ready", lambda: kube.get(WORKER, "-n", SPACE)["status"].get("replicas", 0) == wanted == ready(kube), 900)
            expect(f"the metric says {wanted}, and {wanted} workers are ready", True, f"{time.monotonic() - began:.0f} s")
        hpa = kube.get("hpa", "run-quintain-worker", "-n", SPACE)["status"]["conditions"]
        expect("the autoscaler reads the metric", metric.asked > 0 and any(c["type"] == "AbleToScale" and c["status"] == "True" for c in hpa), f"{metric.asked} times")


def main():
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("--programs", required=True, help="folder of conformance/kube/build")
    args.add_argument("--workers", type=int, default=300)
    args.add_argument("--update", action="store_true", help="render docs/deploy/manifests/quintain.yaml anew, and do nothing else")
    args = args.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        if args.update:
            with open(os.path.join(MANIFESTS, "quintain.yaml"), "w", encoding="utf-8") as f:
                f.write(render(cluster.Cluster(args.programs, scratch)).stdout)
            return
        began = time.monotonic()
        with cluster.Cluster(args.programs, scratch) as kube:
            print(f"up after {time.monotonic() - began:.0f} s: Kubernetes {json.loads(kube.kubectl('get', '--raw', '/version').stdout)['gitVersion']}", flush=True)
            prepare(kube)
            manifests(kube)
            with cluster.Election(kube, SPACE, COORDINATORS) as election:
                install(kube, election)
                update(kube, election)
                drain(kube, election)
                scale(kube, args.workers)
            kube.helm("uninstall", RELEASE, "--namespace", SPACE)
            left = ["get", "all,hpa,pdb,networkpolicy,secret", "-n", SPACE, "-o", "name"]
            cluster.wait("uninstalling leaves something behind", lambda: kube.kubectl(*left).stdout == "")
    if faults:
        raise SystemExit(f"kube: {len(faults)} faults: {'; '.join(faults)}")


if __name__ == "__main__":
    main()

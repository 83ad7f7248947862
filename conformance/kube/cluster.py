"""A real Kubernetes API server with its controllers and scheduler, and nodes of kwok, which run no containers."""

import http.server
import json
import os
import signal
import socket
import ssl
import subprocess
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))


def free_ports(n):
    sockets = [socket.socket() for _ in range(n)]
    for s in sockets:
        s.bind(("127.0.0.1", 0))
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


def wait(what, ok, seconds=240):
    """Wait until ok() holds, and return its value."""
    end = time.monotonic() + seconds
    while True:
        if value := ok():
            return value
        if time.monotonic() > end:
            raise SystemExit(f"kube: after {seconds} s: {what}")
        time.sleep(0.2)


class Cluster:
    """All its processes end with it. Its files are in scratch, its programs in programs."""

    def __init__(self, programs, scratch):
        self.programs, self.scratch, self.running = programs, scratch, []
        self.config = os.path.join(scratch, "kubeconfig")

    def __enter__(self):
        client, peer, self.port, controllers, scheduler = free_ports(5)
        key = self.path("sa.key")
        subprocess.run(["openssl", "genrsa", "-out", key, "2048"], check=True, capture_output=True)
        self.write("tokens.csv", "secret,admin,admin,system:masters\n")
        self.write("kubeconfig", json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": "x", "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
            "users": [{"name": "u", "user": {"token": "secret"}}], "clusters": [{"name": "c", "cluster": {"server": f"https://127.0.0.1:{self.port}", "insecure-skip-tls-verify": True}}],
        }))
        etcd = f"http://127.0.0.1:{client}"
        self.start("etcd", "--data-dir", self.path("etcd"), "--listen-client-urls", etcd, "--advertise-client-urls", etcd, "--listen-peer-urls", f"http://127.0.0.1:{peer}",
                   "--initial-advertise-peer-urls", f"http://127.0.0.1:{peer}", "--initial-cluster", f"default=http://127.0.0.1:{peer}", "--unsafe-no-fsync")
        self.start("kube-apiserver", f"--etcd-servers={etcd}", "--bind-address=127.0.0.1", "--advertise-address=127.0.0.1", f"--secure-port={self.port}", f"--service-account-key-file={key}",
                   f"--service-account-signing-key-file={key}", "--service-account-issuer=https://kubernetes.default.svc", f"--token-auth-file={self.path('tokens.csv')}", "--authorization-mode=RBAC",
                   f"--cert-dir={self.path('certs')}", "--service-cluster-ip-range=10.0.0.0/24", "--endpoint-reconciler-type=none")
        wait("the API server is not ready", lambda: self.kubectl("get", "--raw", "/readyz", check=False).returncode == 0)
        common = ("--kubeconfig", self.config, "--leader-elect=false", "--bind-address=127.0.0.1")
        self.start("kube-controller-manager", *common, f"--secure-port={controllers}", f"--service-account-private-key-file={key}", "--use-service-account-credentials=false",
                   "--horizontal-pod-autoscaler-sync-period=2s", "--node-monitor-grace-period=10m", "--concurrent-deployment-syncs=10")
        self.start("kube-scheduler", *common, f"--secure-port={scheduler}")
        self.start("kwok", "--kubeconfig", self.config, "--manage-all-nodes", "--config", os.path.join(HERE, "stages.yaml"), "--node-lease-duration-seconds", "40", "--cidr", "10.64.0.0/16")
        return self

    def __exit__(self, *_):
        for p in reversed(self.running):
            p.send_signal(signal.SIGKILL)
            p.wait()

    def path(self, name):
        return os.path.join(self.scratch, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as f:
            f.write(text)
        return self.path(name)

    def start(self, program, *args):
        with open(self.path(program + ".log"), "w", encoding="utf-8") as log:
            self.running.append(subprocess.Popen(["nice", "-n", "19", os.path.join(self.programs, program), *args], stdout=log, stderr=log, cwd=self.scratch))

    def kubectl(self, *args, check=True, text=None):
        done = subprocess.run(["kubectl", "--kubeconfig", self.config, *args], input=text, capture_output=True, text=True, timeout=600)
        if check and done.returncode:
            raise SystemExit(f"kube: kubectl {' '.join(args)}: {done.stderr}")
        return done

    def helm(self, *args, check=True):
        env = {**os.environ, "KUBECONFIG": self.config, "HELM_CACHE_HOME": self.path("helm"), "HELM_CONFIG_HOME": self.path("helm"), "HELM_DATA_HOME": self.path("helm")}
        done = subprocess.run([os.path.join(self.programs, "helm"), *args], capture_output=True, text=True, env=env, timeout=600)
        if check and done.returncode:
            raise SystemExit(f"kube: helm {' '.join(args)}: {done.stderr}")
        return done

    def get(self, *args):
        return json.loads(self.kubectl("get", *args, "-o", "json").stdout)

    def apply(self, *objects):
        self.kubectl("apply", "-f", "-", text=json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))


class Election:
    """What one of two coordinators does in a container: it becomes ready when no other is. Paused, nobody does."""

    def __init__(self, cluster, namespace, labels):
        self.cluster, self.namespace, self.labels, self.paused, self.over = cluster, namespace, labels, False, threading.Event()
        self.thread = threading.Thread(target=self.run)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.thread.join()

    def pods(self):
        """Name, whether it is ready, node and revision of each coordinator that runs, the oldest first."""
        found = []
        for p in sorted(self.cluster.get("pods", "-n", self.namespace, "-l", self.labels)["items"], key=lambda p: p["metadata"]["creationTimestamp"]):
            if p["status"].get("phase") == "Running" and "deletionTimestamp" not in p["metadata"]:
                ready = any(c["type"] == "Ready" and c["status"] == "True" for c in p["status"]["conditions"])
                found.append((p["metadata"]["name"], ready, p["spec"]["nodeName"], p["metadata"]["labels"]["controller-revision-hash"], p["metadata"]["uid"]))
        return found

    def owner(self):
        return next((p for p in self.pods() if p[1]), None)

    def run(self):
        while not self.over.wait(0.3):
            try:
                pods = self.pods()
                if not self.paused and pods and not any(ready for _, ready, *_ in pods):
                    status = {"status": {"conditions": [{"type": t, "status": "True"} for t in ("Ready", "ContainersReady")]}}
                    self.cluster.kubectl("patch", "pod", pods[0][0], "-n", self.namespace, "--subresource=status", "-p", json.dumps(status), check=False)
            except (SystemExit, KeyError) as err:  # the pod is gone, or the cluster is about to be
                print("  election:", str(err)[:200])


class Metric:
    """The external metric quintain_wanted_workers, of a server that the API server asks for it."""

    def __init__(self, cluster):
        self.cluster, self.value, self.asked = cluster, 0, 0

    def __enter__(self):
        certificate, key = self.cluster.path("metric.pem"), self.cluster.path("metric.key")
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost", "-days", "2", "-keyout", key, "-out", certificate], check=True, capture_output=True)
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"metric": self}))
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()
        port = self.server.server_address[1]
        self.cluster.apply(
            {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "metric", "namespace": "default"}, "spec": {"type": "ExternalName", "externalName": "localhost", "ports": [{"port": port}]}},
            {"apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService", "metadata": {"name": "v1beta1.external.metrics.k8s.io"}, "spec": {
                "group": "external.metrics.k8s.io", "version": "v1beta1", "groupPriorityMinimum": 100, "versionPriority": 100, "insecureSkipTLSVerify": True,
                "service": {"name": "metric", "namespace": "default", "port": port}}})
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        path = self.path.partition("?")[0]
        body = {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": "external.metrics.k8s.io/v1beta1", "resources": [
            {"name": "quintain_wanted_workers", "singularName": "", "namespaced": True, "kind": "ExternalMetricValueList", "verbs": ["get"]}]}
        if path.endswith("/quintain_wanted_workers"):
            self.metric.asked += 1
            body = {"kind": "ExternalMetricValueList", "apiVersion": "external.metrics.k8s.io/v1beta1", "metadata": {}, "items": [
                {"metricName": "quintain_wanted_workers", "metricLabels": {}, "timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "value": str(self.metric.value)}]}
        text = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        pass

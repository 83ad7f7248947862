//go:build heavy && unix

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/quintain-rl/quintain/policy/fake"
)

// A manifest is an object of Kubernetes, as far as its pods matter.
type manifest struct {
	Kind     string
	Metadata struct{ Name string }
	Data     map[string]string
	Strings  map[string]string `yaml:"stringData"`
	Spec     struct {
		Template struct {
			Spec podSpec
		}
	}
}

type podSpec struct {
	Grace      int `yaml:"terminationGracePeriodSeconds"`
	Containers []podContainer
	Volumes    []struct {
		Name      string
		ConfigMap *struct{ Name string } `yaml:"configMap"`
		Secret    *struct {
			Name  string `yaml:"secretName"`
			Items []struct{ Key, Path string }
		}
	}
}

type podContainer struct {
	Args      []string
	Ports     []struct{ Name string }
	Startup   podProbe `yaml:"startupProbe"`
	Liveness  podProbe `yaml:"livenessProbe"`
	Readiness podProbe `yaml:"readinessProbe"`
	Mounts    []struct {
		Name string
		Path string `yaml:"mountPath"`
	} `yaml:"volumeMounts"`
}

// A podProbe is a request that the kubelet sends, to tell whether a container is alive or ready.
type podProbe struct {
	HTTP struct{ Path, Port string } `yaml:"httpGet"`
}

// manifests reads the rendered chart.
func manifests(t *testing.T) (all []manifest) {
	t.Helper()
	text, err := os.ReadFile("../../docs/deploy/manifests/quintain.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for in := yaml.NewDecoder(bytes.NewReader(text)); ; {
		var m manifest
		if err := in.Decode(&m); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, m)
	}
}

// named returns the object of a kind, and of a name if that is not empty.
func named(t *testing.T, all []manifest, kind, name string) manifest {
	t.Helper()
	for _, m := range all {
		if m.Kind == kind && (name == "" || m.Metadata.Name == name) {
			return m
		}
	}
	t.Fatalf("the manifests have no %s %s", kind, name)
	return manifest{}
}

// mount writes the volumes of a pod into folders, and returns the folders by their place in the container.
func mount(t *testing.T, all []manifest, pod podSpec) map[string]string {
	t.Helper()
	folders := map[string]string{}
	for _, at := range pod.Containers[0].Mounts {
		folders[at.Path] = t.TempDir()
		for _, v := range pod.Volumes {
			files := map[string]string{}
			switch {
			case v.Name != at.Name:
			case v.ConfigMap != nil:
				files = named(t, all, "ConfigMap", v.ConfigMap.Name).Data
			case v.Secret != nil:
				of := named(t, all, "Secret", v.Secret.Name)
				for _, item := range v.Secret.Items {
					files[item.Path] = of.Strings[item.Key]
				}
			}
			for name, body := range files {
				if err := os.WriteFile(filepath.Join(folders[at.Path], name), []byte(body), 0o600); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	return folders
}

// A podChild is the container of a pod as a process.
type podChild struct {
	*exec.Cmd
	is   podContainer
	port int
	said capture
}

// startPod starts a pod's container with its arguments, files and volumes; those of here go over the arguments.
func startPod(t *testing.T, all []manifest, pod podSpec, here ...string) *podChild {
	t.Helper()
	p := &podChild{is: pod.Containers[0], port: freePorts(t, 1)[0]}
	args := append(append([]string(nil), p.is.Args...), here...)
	folders := mount(t, all, pod)
	for i, arg := range args {
		at := strings.LastIndexByte(arg, '=')
		flag, path := arg[:max(0, at)], arg[at+1:]
		for place, folder := range folders {
			if rest, within := strings.CutPrefix(path, place); within {
				args[i] = flag + "=" + folder + rest
			}
		}
	}
	if len(p.is.Ports) > 0 {
		args = append(args, fmt.Sprintf("--port=%d", p.port))
	}
	p.Cmd = program(t, args...)
	p.Stdout, p.Stderr = &p.said, &p.said
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	var reaped sync.WaitGroup
	reaped.Go(func() { _ = p.Wait() })
	t.Cleanup(func() {
		_ = p.Process.Kill() // fails if it has ended
		reaped.Wait()
		if t.Failed() {
			t.Logf("%v:\n%s", args, p.said.String())
		}
	})
	return p
}

// answers returns the status that a kubelet sees, which asks by the address of the pod and without a key.
func (p *podChild) answers(t *testing.T, of podProbe) int {
	t.Helper()
	if of.HTTP.Port != p.is.Ports[0].Name {
		t.Fatalf("a probe asks the port %q", of.HTTP.Port)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, fmt.Sprintf("http://127.0.0.1:%d%s", p.port, of.HTTP.Path), nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Host, r.Close = "10.1.2.3:8000", true
	reply, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0
	}
	defer reply.Body.Close()
	return reply.StatusCode
}

// seconds reads a flag such as --with run.grace=30s.
func (p podContainer) seconds(t *testing.T, flag string) int {
	t.Helper()
	for _, a := range p.Args {
		if text, ok := strings.CutPrefix(a, flag+"="); ok {
			n, err := strconv.Atoi(strings.TrimSuffix(text, "s"))
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
	}
	t.Fatalf("%s is missing: %q", flag, p.Args)
	return 0
}

// TestManifests runs the pods of the rendered chart as processes, on three NATS servers, and asks
// them what a kubelet would: the owner is ready; the standby is alive, and not ready until the owner
// is gone; workers come to the owner with the key of theirs.
func TestManifests(t *testing.T) {
	t.Parallel()
	all := manifests(t)
	coordinator, worker := named(t, all, "StatefulSet", "").Spec.Template.Spec, named(t, all, "Deployment", "").Spec.Template.Spec
	for _, pod := range []podSpec{coordinator, worker} {
		if grace := pod.Containers[0].seconds(t, "--with=run.grace"); pod.Grace < grace+10 {
			t.Errorf("pods are killed after %d seconds, and groups under way have %d", pod.Grace, grace)
		}
	}
	model, err := fake.New(fake.Config{Server: fake.Defaults()})
	if err != nil {
		t.Fatal(err)
	}
	engine := httptest.NewServer(model)
	t.Cleanup(engine.Close)
	defer http.DefaultClient.CloseIdleConnections()
	servers := named(t, all, "ConfigMap", "run-quintain-servers").Data
	if !strings.HasPrefix(servers["urls"], "http") {
		t.Errorf("servers %q", servers)
	}
	servers["urls"] = engine.URL + "\n"
	here := []string{"--nats-url=" + startNodes(t), "--tokenizer=bytes", "--tasks=spell_backward", "--exam-problems=0"}

	owner := startPod(t, all, coordinator, here...)
	within(t, "the owner is not ready", func() bool { return owner.answers(t, owner.is.Readiness) == http.StatusOK })
	standby := startPod(t, all, coordinator, here...)
	within(t, "the standby is not alive", func() bool { return standby.answers(t, standby.is.Startup) == http.StatusOK })
	for range 3 {
		for _, is := range []struct {
			who    string
			p      *podChild
			of     podProbe
			status int
		}{
			{"the owner's liveness", owner, owner.is.Liveness, 200}, {"the owner's readiness", owner, owner.is.Readiness, 200},
			{"the standby's liveness", standby, standby.is.Liveness, 200}, {"the standby's readiness", standby, standby.is.Readiness, 503},
		} {
			if status := is.p.answers(t, is.of); status != is.status {
				t.Errorf("%s: status %d, want %d", is.who, status, is.status)
			}
		}
	}
	if err := owner.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	within(t, "the standby does not take over", func() bool { return standby.answers(t, standby.is.Readiness) == http.StatusOK })
	at := fmt.Sprintf("http://127.0.0.1:%d", standby.port)
	startPod(t, all, worker, "--coordinator="+at, "--tokenizer=bytes", "--with", "worker.name=from-the-manifests")
	key := strings.TrimSpace(named(t, all, "Secret", "").Strings["worker"])
	within(t, "no worker has come", func() bool {
		return strings.Contains(askHub(t, 200, "GET "+at+"/v1/runs/default/workers", key, ""), "from-the-manifests")
	})
}

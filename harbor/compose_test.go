package harbor_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/quintain-rl/quintain/harbor"
)

// public is a compose file as public data sets have it.
const public = `services:
  main:
    build:
      context: ${CONTEXT_DIR}
    image: ${MAIN_IMAGE_NAME}
    command: [ "sh", "-c", "sleep infinity" ]
    environment:
      - TEST_DIR=${TEST_DIR}
      - A=${B:-c}
    volumes:
      - ${HOST_VERIFIER_LOGS_PATH}:${ENV_VERIFIER_LOGS_PATH}
      - ${HOST_AGENT_LOGS_PATH}:${ENV_AGENT_LOGS_PATH}
      # the whole data set
      - ${CONTEXT_DIR}/../..:/shared
      - kept:/var/kept
    deploy:
      resources:
        limits:
          cpus: ${CPUS}
          memory: ${MEMORY}
volumes:
  kept: {}
`

func TestComposeOfOneService(t *testing.T) {
	t.Parallel()
	task, err := read(t, map[string]string{"environment/docker-compose.yaml": public})
	if err != nil {
		t.Fatal(err)
	}
	c := task.Config
	if c.Env["TEST_DIR"] != "" || c.Env["A"] != "c" || len(c.Env) != 2 || c.Image != "" || c.Memory != 0 {
		t.Errorf("%+v", c)
	}
	if len(c.Folders) != 1 || c.Folders[0] != "/var/kept" {
		t.Errorf("folders %v", c.Folders)
	}
	want := "environment/docker-compose.yaml: line 10: services.main.volumes: wants the folder ./../.., outside of the task, at /shared; --with harbor.bind_empty=/shared gives an empty one"
	if len(c.Binds) != 1 || c.Binds[0].At != "/shared" || c.Binds[0].Refusal.Error() != want {
		t.Errorf("binds %v", c.Binds)
	}
	task, err = read(t, map[string]string{
		"task.toml": "[environment]\nworkdir = \"/a\"\nenv = {A = \"1\"}\n",
		"environment/docker-compose.yaml": "services:\n  main:\n    image: gcc:${A}\n    working_dir: /b\n    environment: {A: 2, B: true}\n    network_mode: none\n    mem_limit: 2g\n    cpus: 1.5\n" +
			"    healthcheck:\n      test: [CMD, test, -e, /it's]\n      interval: 1m\n      retries: 2\n",
	})
	if err != nil {
		t.Fatal(err)
	}
	c = task.Config
	if c.Image != "gcc:1" || c.Workdir != "/a" || c.Env["A"] != "1" || c.Env["B"] != "true" || c.Network != harbor.NoNetwork || c.Memory != 2<<30 || c.CPUs != 1.5 {
		t.Errorf("%+v", c)
	}
	if h := c.Health; h == nil || h.Command != ` 'test' '-e' '/it'\''s'` || h.Every != time.Minute || h.Retries != 2 {
		t.Errorf("health check %+v", h)
	}
}

func TestComposeThatIsNotPlayed(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ why, text, says string }{
		{"another service", "services:\n  main:\n    build: .\n  db:\n    image: a\n", "refused: environment/docker-compose.yaml: line 4: services.db: services beside main"},
		{"no service", "services: {}\n", "services: want a service main"},
		{"no YAML", "services: [\n", "environment/docker-compose.yaml: "},
		{"an anchor", "a: &b 1\n", "refused: environment/docker-compose.yaml: line 1: &: anchors"},
		{"too deep", strings.Repeat("[", 20_000), "environment/docker-compose.yaml: line 1: is nested too deep"},
		{"too deep, in one line", strings.Repeat("- ", 20_000), "environment/docker-compose.yaml: line 1: is nested too deep"},
		{"too deep, by keys", strings.Repeat("? ", 20_000), "environment/docker-compose.yaml: line 1: is nested too deep"},
		{"too long", strings.Repeat("#\n", 40_000), "environment/docker-compose.yaml: has more than 65536 bytes"},
		{"a field", "services:\n  main:\n    build: .\n    privileged: true\n", "refused: environment/docker-compose.yaml: line 4: services.main.privileged: is not played"},
		{"a field of the file", "services:\n  main:\n    build: .\nsecrets: {}\n", "refused: environment/docker-compose.yaml: line 4: secrets"},
		{"another folder", "services:\n  main:\n    build: ./sub\n", "line 3: services.main.build: is of ./sub"},
		{"another Dockerfile", "services:\n  main:\n    build:\n      dockerfile: D\n", "line 4: services.main.build.dockerfile: is D"},
		{"arguments", "services:\n  main:\n    build:\n      args: {A: 1}\n", "services.main.build.args: is not played"},
		{"a command that works", "services:\n  main:\n    command: redis-server\n", "services.main.command: is redis-server, and only commands that wait"},
		{"one beside waiting", "services:\n  main:\n    command: sh -c \"redis & sleep infinity\"\n", "services.main.command: is sh -c redis & sleep infinity"},
		{"a file of the task", "services:\n  main:\n    volumes: [./a:/b]\n", "services.main.volumes: puts ./a of environment/ at /b"},
		{"the machine's network", "services:\n  main:\n    network_mode: host\n", "services.main.network_mode"},
		{"a variable", "services:\n  main:\n    environment: [A=$HOME]\n", "wants the variable HOME of this machine"},
		{"a variable without a value", "services:\n  main:\n    environment: [HOME]\n", "wants HOME of this machine"},
		{"a user", "services:\n  main:\n    user: \"1000\"\n", "services.main.user: is 1000"},
		{"waiting", "services:\n  main:\n    command: tail -f /dev/null\n    entrypoint: [\"/bin/bash\", \"-c\", \"sleep infinity\"]\n", ""},
	} {
		_, err := read(t, map[string]string{"environment/docker-compose.yaml": test.text})
		says, refused := strings.CutPrefix(test.says, "refused: ")
		_, is := errors.AsType[*harbor.Refusal](err)
		if (err == nil) != (says == "") || refused && !is || err != nil && !strings.Contains(err.Error(), says) {
			t.Errorf("%s: error %v, want %s", test.why, err, test.says)
		}
	}
}

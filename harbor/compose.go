package harbor

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/token"

	"github.com/quintain-rl/quintain/internal/compiled"
)

// A Bind is a folder of the machine outside of environment/, such as that of the whole data set, that a compose file would put into a trial.
type Bind struct {
	At      string   // in the trial
	Refusal *Refusal // what to say unless an empty folder will do
}

// mainService is the name of the service that agent and tests are in.
const mainService = "main"

// readCompose reads environment/docker-compose.yaml, if there is one, into the configuration, which comes first: a trial is one service,
// with what trials have.
func (t *Task) readCompose() error {
	const name = "docker-compose.yaml" // as Harbor, not .yml, which may be the task's own
	text, err := readText(filepath.Join(t.Dir, Environment, name))
	if errors.Is(err, errMissing) {
		return nil
	}
	if err != nil {
		return err
	}
	return t.Config.compose(Environment+"/"+name, text)
}

// compose reads the text of a compose file.
func (c *Config) compose(file string, text []byte) error {
	if err := plainYAML(file, text); err != nil {
		return err
	}
	values := map[string]any{}
	if err := yaml.NewDecoder(bytes.NewReader(text)).Decode(&values); err != nil {
		line, _, _ := strings.Cut(err.Error(), "\n")
		return fmt.Errorf("%s: %s", file, line)
	}
	t := &table{of: &document{file: file, equals: ":", lines: strings.Split(string(text), "\n")}, values: values}
	var word string
	t.text("name", &word)
	t.take("version")
	volumes := t.table("volumes")
	services := t.table("services")
	for _, name := range slices.Sorted(maps.Keys(services.values)) {
		if name != mainService {
			services.refuse(name, "services beside main are not played yet")
		}
	}
	t.refuseOthers()
	if !services.has(mainService) {
		t.fail("services", "want a service main")
	}
	s := &service{table: services.table(mainService), c: c, volumes: volumes.values}
	s.read()
	return t.of.err
}

// Bounds of a compose file: the time of the parser grows with the square of the depth.
const (
	mostCompose = 64 << 10 // bytes
	mostDepth   = 50
)

// plainYAML refuses anchors, and what is nested too deep.
func plainYAML(file string, text []byte) error {
	if len(text) > mostCompose {
		return fmt.Errorf("%s: has more than %d bytes", file, mostCompose)
	}
	depth, line, inLine := 0, 0, 0
	for _, tok := range lexer.Tokenize(string(text)) {
		switch tok.Type {
		case token.AnchorType, token.AliasType, token.MergeKeyType:
			return &Refusal{fmt.Sprintf("%s: line %d", file, tok.Position.Line), tok.Value, "anchors are not supported"}
		case token.SequenceStartType, token.MappingStartType:
			depth++
		case token.SequenceEndType, token.MappingEndType:
			depth--
		case token.SequenceEntryType, token.MappingKeyType:
			if tok.Position.Line != line {
				line, inLine = tok.Position.Line, 0
			}
			inLine++
		}
		if depth > mostDepth || inLine > mostDepth {
			return fmt.Errorf("%s: line %d: is nested too deep", file, tok.Position.Line)
		}
	}
	return nil
}

// refuseOthers refuses the fields that nobody took.
func (t *table) refuseOthers() {
	for _, name := range slices.Sorted(maps.Keys(t.values)) {
		if !slices.Contains(t.known, name) && !strings.HasPrefix(name, "x-") {
			t.refuse(name, "is not played")
		}
	}
}

// A service is the one of a compose file.
type service struct {
	*table
	c       *Config
	volumes map[string]any // that have names
}

// read reads the service.
func (s *service) read() {
	// These change nothing that agent or tests of one service see, or a trial has its own.
	for _, name := range strings.Fields(`container_name restart pull_policy stdin_open tty ports expose logging labels platform init hostname
		domainname stop_grace_period stop_signal shm_size ulimits pids_limit`) {
		s.take(name)
	}
	s.build()
	var name, dir string
	if s.text("image", &name); !s.has("build") {
		s.c.Image = cmp.Or(s.c.Image, s.filled("image", name))
	}
	s.text("working_dir", &dir)
	if dir = s.filled("working_dir", dir); dir != "" && !path.IsAbs(dir) {
		s.fail("working_dir", "is %q, want a path that begins with a slash", dir)
	}
	s.c.Workdir = cmp.Or(s.c.Workdir, dir)
	readUser(s.table)
	s.environment()
	s.waits("command")
	s.waits("entrypoint")
	s.limits()
	if word := s.oneOf("network_mode", "bridge", "none", "default", "host"); word == "host" {
		s.refuse("network_mode", "the machine's network is not played")
	} else if word == "none" {
		s.c.Network, s.c.Agent.Network, s.c.Verifier.Network = NoNetwork, NoNetwork, NoNetwork
	}
	v, _ := s.take("volumes")
	list, ok := v.([]any)
	if v != nil && !ok {
		s.fail("volumes", "is %v, want a list", v)
	}
	for _, one := range list {
		s.volume(one)
	}
	if s.has("healthcheck") && s.c.Health == nil {
		s.health(s.table.table("healthcheck"))
	}
	s.refuseOthers()
}

// build checks that what is built is environment/, by its Dockerfile.
func (s *service) build() {
	v, _ := s.take("build")
	at := ""
	switch v := v.(type) {
	case nil:
		return
	case string:
		at = v
	case map[string]any:
		of := s.table.table("build")
		of.text("context", &at)
		file := "Dockerfile"
		if of.text("dockerfile", &file); path.Clean(file) != "Dockerfile" {
			of.refuse("dockerfile", "is "+file+", and only environment/Dockerfile is built")
		}
		of.take("network")
		of.refuseOthers()
	default:
		s.fail("build", "is %v, want a folder", v)
	}
	if at = s.filled("build", at); path.Clean(at) != "." {
		s.refuse("build", "is of "+at+", and only environment/ is built")
	}
}

// environment reads the variables. Those of task.toml come first.
func (s *service) environment() {
	v, _ := s.take("environment")
	all := map[string]string{}
	switch v := v.(type) {
	case nil:
	case map[string]any:
		for name, value := range v {
			if value == nil {
				s.refuse("environment", "wants "+name+" of this machine")
			}
			all[name] = fmt.Sprint(value)
		}
	case []any:
		for _, one := range v {
			name, value, given := strings.Cut(fmt.Sprint(one), "=")
			if !given {
				s.refuse("environment", "wants "+name+" of this machine")
			}
			all[name] = value
		}
	default:
		s.fail("environment", "is %v, want variables", v)
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		text := s.filled("environment", all[name])
		if name == "" || strings.ContainsAny(name+text, "\x00") || strings.Contains(name, "=") {
			s.fail("environment", "has %q, want NAME=TEXT", name)
		}
		if _, has := s.c.Env[name]; has {
			continue
		}
		if s.c.Env == nil {
			s.c.Env = map[string]string{}
		}
		s.c.Env[name] = text
	}
}

// waiting matches commands that only wait.
var waiting = compiled.Regexp(`^(?:(?:/bin/)?(?:ba|da)?sh -l?c )?(?:exec )?(?:sleep (?:infinity|inf|[0-9]{3,}[smhd]?)|tail -f /dev/null|(?:/bin/)?(?:ba|da)?sh)$`)

// waits refuses a command that does more than to wait.
func (s *service) waits(name string) {
	v, has := s.take(name)
	text := fmt.Sprint(v)
	if list, is := v.([]any); is {
		text = strings.TrimSuffix(fmt.Sprintln(list...), "\n")
	}
	text = strings.Join(strings.Fields(strings.NewReplacer(`"`, "", "'", "").Replace(text)), " ")
	if has && v != nil && text != "" && !waiting().MatchString(text) {
		s.refuse(name, "is "+text+", and only commands that wait, such as sleep infinity, are played")
	}
}

// limits reads the processors and the memory, unless task.toml says them.
func (s *service) limits() {
	deploy := s.table.table("deploy")
	deploy.take("replicas")
	resources := deploy.table("resources")
	resources.take("reservations")
	of := resources.table("limits")
	for _, at := range []struct {
		of           *table
		cpus, memory string
	}{{of, "cpus", "memory"}, {s.table, "cpus", "mem_limit"}} {
		cpus, hasCPUs := at.of.take(at.cpus)
		memory, hasMemory := at.of.take(at.memory)
		if text, _ := cpus.(string); hasCPUs && s.filled(at.cpus, text) == text {
			x, ok := asNumber(cpus)
			if !ok || !(x >= 0) {
				at.of.fail(at.cpus, "is %v, want a number of 0 or more", cpus)
			}
			s.c.CPUs = cmp.Or(s.c.CPUs, x)
		}
		if text := fmt.Sprint(memory); hasMemory && s.filled(at.memory, text) == text {
			n, ok := sizeOf(strings.TrimRight(text, "bB"))
			if bytes, err := strconv.ParseInt(text, 10, 64); err == nil && bytes >= 0 {
				n, ok = bytes, true
			}
			if !ok {
				at.of.fail(at.memory, "is %v, want a size such as 4G", memory)
			}
			s.c.Memory = cmp.Or(s.c.Memory, n)
		}
	}
	of.take("pids")
	of.refuseOthers()
	resources.refuseOthers()
	deploy.refuseOthers()
}

// volume reads one of the volumes: Harbor's logs, which trials have, a name, which is an empty folder, or a folder of the machine.
func (s *service) volume(v any) {
	text, _ := v.(string)
	if of, is := v.(map[string]any); is {
		source, _ := of["source"].(string)
		target, _ := of["target"].(string)
		text = source + ":" + target
	}
	text = s.filled("volumes", text)
	from, to, ok := strings.Cut(text, ":")
	to, _, _ = strings.Cut(to, ":") // ro
	_, isNamed := s.volumes[from]
	switch {
	case !ok && path.IsAbs(from):
		s.c.Folders = append(s.c.Folders, from)
	case !ok || !path.IsAbs(to):
		s.fail("volumes", "has %v, want SOURCE:FOLDER", v)
	case from == hostLogs:
	case isNamed:
		s.c.Folders = append(s.c.Folders, to)
	case filepath.IsLocal(from):
		s.refuse("volumes", fmt.Sprintf("puts %s of environment/ at %s: copy it by the Dockerfile", from, to))
	default:
		why := fmt.Sprintf("wants the folder %s, outside of the task, at %s; --with harbor.bind_empty=%s gives an empty one", from, to, to)
		s.c.Binds = append(s.c.Binds, Bind{to, &Refusal{fmt.Sprintf("%s: line %d", s.of.file, s.of.line(s.path+"volumes")), s.path + "volumes", why}})
	}
}

// hostLogs stands for the folders of the machine in which Harbor keeps logs.
const hostLogs = "the logs"

// use matches a use of a variable in a compose file.
var use = compiled.Regexp(`\$(?:\$|([A-Za-z_]\w*)|\{([A-Za-z_]\w*)(?:(:?-)([^}]*))?\})`)

// filled returns a field's text with the variables that Harbor sets, and those of task.toml.
func (s *service) filled(field, text string) string {
	return use().ReplaceAllStringFunc(text, func(whole string) string {
		at := use().FindStringSubmatch(whole)
		name := at[1] + at[2]
		value, set := s.c.Env[name]
		switch name {
		case "":
			return "$"
		case "CONTEXT_DIR":
			return "."
		case "HOST_VERIFIER_LOGS_PATH", "HOST_AGENT_LOGS_PATH", "HOST_ARTIFACTS_LOGS_PATH":
			return hostLogs
		case "ENV_VERIFIER_LOGS_PATH", "ENV_AGENT_LOGS_PATH", "ENV_ARTIFACTS_LOGS_PATH":
			return "/logs/" + strings.ToLower(strings.Split(name, "_")[1])
		case "PREBUILT_IMAGE_NAME":
			return s.c.Image
		case "MAIN_IMAGE_NAME", "TEST_DIR", "CPUS", "MEMORY":
			return ""
		}
		switch {
		case set && (value != "" || at[3] != ":-"):
			return value
		case at[3] != "":
			return at[4]
		}
		s.refuse(field, "wants the variable "+name+" of this machine: set it in environment.env of "+ConfigFile)
		return ""
	})
}

// health reads a health check.
func (s *service) health(of *table) {
	h := Health{Every: 30 * time.Second, Time: 30 * time.Second, Retries: 3, StartEvery: 5 * time.Second}
	v, _ := of.take("test")
	switch v := v.(type) {
	case string:
		h.Command = v
	case []any:
		words := make([]string, len(v))
		for i, word := range v {
			words[i] = fmt.Sprint(word)
		}
		switch {
		case len(words) == 2 && words[0] == "CMD-SHELL":
			h.Command = words[1]
		case len(words) > 1 && words[0] == "CMD":
			for _, word := range words[1:] {
				h.Command += " '" + strings.ReplaceAll(word, "'", `'\''`) + "'"
			}
		}
	}
	for name, to := range map[string]*time.Duration{"interval": &h.Every, "timeout": &h.Time, "start_period": &h.Start, "start_interval": &h.StartEvery} {
		text := ""
		if of.text(name, &text); text == "" {
			continue
		}
		var err error
		if *to, err = time.ParseDuration(text); err != nil || *to < 0 {
			of.fail(name, "is %q, want a time such as 5s", text)
		}
	}
	retries := int64(h.Retries)
	of.whole("retries", &retries)
	h.Retries = int(min(retries, mostRetries))
	h.Command = s.filled("healthcheck", h.Command)
	if off := of.flag("disable"); off == nil || !*off {
		s.c.Health = &h
		if strings.TrimSpace(h.Command) == "" {
			of.fail("test", "is %v, want a command", v)
		}
	}
	of.refuseOthers()
}

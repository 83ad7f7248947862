package harbor

import (
	"fmt"
	"net"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/quintain-rl/quintain/internal/compiled"
)

// Config is a task.toml, as far as it decides how a task plays.
type Config struct {
	Name     string // of the package, ORG/NAME; empty: none
	Metadata map[string]any
	Agent    Phase
	Verifier Phase
	Solution map[string]string // variables of the solution

	Image   string            // a built one; empty: environment/ is built
	Env     map[string]string // of every process
	Workdir string            // empty: the image's
	CPUs    float64           // 0: it does not say
	Memory  int64             // bytes; 0: it does not say
	Storage int64             // bytes; 0: it does not say
	Network Network
	Health  *Health  // nil: there is none
	Folders []string // empty ones that a trial has
	Binds   []Bind   // folders of the machine that a compose file wants

	Unknown []Note // fields that Harbor does not know, and ignores
}

// A Phase is a part of a trial.
type Phase struct {
	Timeout time.Duration // 0: none
	Env     map[string]string
	Network Network // as the environment's, if the phase does not say
}

// A Health check is a command that must end with status 0 before the agent begins.
type Health struct {
	Command    string
	Time       time.Duration // most of one try
	Every      time.Duration // between tries
	Retries    int           // so many failures in a row, after the start, are one of the environment
	Start      time.Duration // in which failures do not count
	StartEvery time.Duration // between tries in that time
}

// A Network is what a task may reach.
type Network string

// The networks.
const (
	Public    Network = "public" // the default
	NoNetwork Network = "no-network"
	Allowlist Network = "allowlist"
)

// Defaults of a task.
const (
	defaultTests   = 600 * time.Second
	defaultMemory  = 2 << 30
	defaultStorage = 4 << 30
	mostTime       = 1e7 // seconds
	mostRetries    = 1000
)

// ReadConfig reads a task.toml. The error names the line and the field; it is a [*Refusal] if the field is not played.
func ReadConfig(text []byte) (c Config, err error) {
	t, err := parse(text)
	if err != nil {
		return c, err
	}
	c.read(t)
	t.end()
	c.Unknown = t.of.unknown
	return c, t.of.err
}

// read reads all tables.
func (c *Config) read(t *table) {
	version := "1.4"
	t.text("version", &version)
	t.text("schema_version", &version)
	if major, _, _ := strings.Cut(version, "."); major != "1" {
		t.refuse("schema_version", fmt.Sprintf("is %q, and this program reads 1.x", version))
	}
	var word string
	t.text("source", &word)
	c.readTask(t)
	if v := t.table("metadata"); v.values != nil {
		c.Metadata = v.values
	}
	c.readEnvironment(t.table("environment"))
	c.readAgent(t.table("agent"))
	c.readVerifier(t.table("verifier"))
	solution := t.table("solution")
	solution.env("env", &c.Solution)
	solution.end()
	readArtifacts(t)
	t.oneOf("multi_step_reward_strategy", "mean", "final")
	if v, _ := t.take("steps"); v != nil {
		t.refuse("steps", "tasks of several steps are not played yet")
	}
}

// packageForm is that of a package's name.
var packageForm = compiled.Regexp(`^[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*$`)

// listOf returns a list's values, also of a list of tables; nil: it is none.
func listOf(v any) []any {
	switch v := v.(type) {
	case []any:
		return v
	case []map[string]any:
		all := make([]any, len(v))
		for i, row := range v {
			all[i] = row
		}
		return all
	}
	return nil
}

// readTask reads the package.
func (c *Config) readTask(t *table) {
	if !t.has("task") {
		return
	}
	of := t.table("task")
	of.text("name", &c.Name)
	if !packageForm().MatchString(c.Name) || strings.Contains(c.Name, "..") {
		of.fail("name", "is %q, want ORG/NAME of letters, digits, hyphens, underscores and dots", c.Name)
	}
	var word string
	of.text("version", &word)
	of.text("description", &word)
	var words []string
	of.texts("keywords", &words)
	authors, _ := of.take("authors")
	for _, one := range listOf(authors) {
		person, _ := one.(map[string]any)
		_, named := person["name"].(string)
		email, mailed := person["email"]
		if _, is := email.(string); !named || mailed && !is {
			of.fail("authors", "has %v, want a table with name, and perhaps email", one)
		}
	}
	if authors != nil && listOf(authors) == nil {
		of.fail("authors", "is %v, want a list", authors)
	}
	of.end()
}

// readAgent reads the table of the agent.
func (c *Config) readAgent(t *table) {
	c.Agent.Network = c.Network
	c.Agent.read(t)
	t.end()
}

// read reads what all phases have.
func (p *Phase) read(t *table) {
	p.Timeout = t.seconds("timeout_sec", 0)
	readUser(t)
	p.Network = readNetwork(t, p.Network, true)
}

// seconds reads a time in seconds.
func (t *table) seconds(name string, usual float64) time.Duration {
	x := usual
	t.number(name, &x)
	if x > mostTime {
		t.fail(name, "is %v, want at most %v", x, mostTime)
	}
	return time.Duration(x * float64(time.Second))
}

// readHealth reads the health check.
func (c *Config) readHealth(t *table) {
	c.Health = &Health{
		Time: t.seconds("timeout_sec", 30), Every: t.seconds("interval_sec", 5), Start: t.seconds("start_period_sec", 0), StartEvery: t.seconds("start_interval_sec", 5),
	}
	retries := int64(3)
	t.whole("retries", &retries)
	c.Health.Retries = int(min(retries, mostRetries))
	if t.text("command", &c.Health.Command); strings.TrimSpace(c.Health.Command) == "" {
		t.fail("command", "want a command")
	}
	t.end()
}

// readUser refuses users other than root, which need a range of IDs.
func readUser(t *table) {
	switch v, has := t.take("user"); {
	case !has || v == "root" || v == "0" || v == int64(0):
	default:
		t.refuse("user", fmt.Sprintf("is %v, and users other than root are not played yet", v))
	}
}

// hostForm is that of a host's name.
var hostForm = compiled.Regexp(`^[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*\.?$`)

// readNetwork reads the network of a table, and returns the given one if it does not say.
func readNetwork(t *table, network Network, phase bool) Network {
	if word := t.oneOf("network_mode", string(Public), string(NoNetwork), string(Allowlist)); word != "" {
		network = Network(word)
	}
	var hosts []string
	t.texts("allowed_hosts", &hosts)
	if len(hosts) > 0 && network != Allowlist || phase && t.has("allowed_hosts") && !t.has("network_mode") {
		t.fail("allowed_hosts", "goes with network_mode = %q only", Allowlist)
	}
	for _, host := range hosts {
		_, _, notRange := net.ParseCIDR(host)
		if notRange != nil && net.ParseIP(host) == nil && !hostForm().MatchString(strings.TrimPrefix(host, "*.")) {
			t.fail("allowed_hosts", "has %q, want a host, *.HOST, an address or a range of addresses", host)
		}
	}
	return network
}

// readVerifier reads the table of the tests.
func (c *Config) readVerifier(t *table) {
	c.Verifier.Network = c.Network
	c.Verifier.read(t)
	if !t.has("timeout_sec") {
		c.Verifier.Timeout = defaultTests
	}
	t.env("env", &c.Verifier.Env)
	mode := t.oneOf("environment_mode", "shared", "separate")
	switch own := t.has("environment"); {
	case own && mode == "shared":
		t.fail("environment", `goes with environment_mode = "separate" only`)
	case own || mode == "separate":
		t.refuse("environment_mode", "tests in an environment of their own are not played yet")
	}
	if v, _ := t.take("collect"); v != nil {
		t.refuse("collect", "commands that collect are not played yet")
	}
	t.end()
}

// readEnvironment reads the table of the environment.
func (c *Config) readEnvironment(t *table) {
	c.Network = Public
	if open := t.flag("allow_internet"); open != nil && !*open {
		c.Network = NoNetwork
	}
	c.Network = readNetwork(t, c.Network, false)
	if t.oneOf("os", "linux", "windows") == "windows" {
		t.refuse("os", "Windows is not supported")
	}
	t.text("docker_image", &c.Image)
	t.text("workdir", &c.Workdir)
	if c.Workdir != "" && !path.IsAbs(c.Workdir) {
		t.fail("workdir", "is %q, want a path that begins with a slash", c.Workdir)
	}
	t.env("env", &c.Env)
	t.number("cpus", &c.CPUs)
	var build float64
	t.number("build_timeout_sec", &build)
	c.Memory, c.Storage = readSize(t, "memory"), readSize(t, "storage")
	var gpus int64
	if t.whole("gpus", &gpus); gpus > 0 {
		t.refuse("gpus", "there are none in a trial")
	}
	var kinds []string
	t.texts("gpu_types", &kinds)
	if t.has("tpu") {
		t.refuse("tpu", "there is none in a trial")
	}
	if list, _ := t.take("mcp_servers"); list != nil && fmt.Sprint(list) != "[]" {
		t.refuse("mcp_servers", "the agent of this program has none: leave them out")
	}
	var skills string
	t.text("skills_dir", &skills)
	if t.has("healthcheck") {
		c.readHealth(t.table("healthcheck"))
	}
	t.end()
}

// readSize reads a size in bytes: NAME_mb, in MiB, or the older NAME, such as 4G.
func readSize(t *table, name string) int64 {
	var mb int64
	var old string
	t.whole(name+"_mb", &mb)
	t.text(name, &old)
	if !t.has(name) {
		return mb << 20
	}
	n, ok := sizeOf(old)
	if !ok {
		t.fail(name, "is %q, want a size such as 4G", old)
		return 0
	}
	if mb > 0 && n != mb<<20 {
		t.fail(name, "is %s, and %s_mb is %d: want one of them", old, name, mb)
	}
	return n
}

// sizeForm is that of a size; in a compose file there are more.
var sizeForm = compiled.Regexp(`^(\d{1,9}(?:\.\d{1,9})?)\s*([KMG])$`)

// sizeOf reads a size, such as 4G, in bytes.
func sizeOf(text string) (n int64, ok bool) {
	at := sizeForm().FindStringSubmatch(strings.ToUpper(strings.TrimSpace(text)))
	if at == nil {
		return 0, false
	}
	x, err := strconv.ParseFloat(at[1], 64)
	return int64(x * float64(int64(1)<<map[string]int{"K": 10, "M": 20, "G": 30}[at[2]])), err == nil
}

// readArtifacts checks the artifacts, which only tests in an environment of their own need.
func readArtifacts(t *table) {
	v, has := t.take("artifacts")
	list := listOf(v)
	if has && list == nil {
		t.fail("artifacts", "is %v, want a list", v)
	}
	for _, one := range list {
		source, ok := one.(string)
		if row, is := one.(map[string]any); is {
			source, ok = row["source"].(string)
			to, named := row["destination"]
			dest, _ := to.(string)
			ok = ok && (!named || dest != "" && filepath.IsLocal(dest) && dest != "manifest.json")
			exclude, has := row["exclude"]
			ok = ok && (!has || listOf(exclude) != nil)
		}
		if !ok || slices.Contains(strings.Split(source, "/"), "..") {
			t.fail("artifacts", "has %v, want a path without .., or a table with source, and perhaps a relative destination and a list exclude", one)
		}
	}
}

// Sizes returns the memory and the storage of a trial in bytes, the defaults where the task does not say.
func (c *Config) Sizes() (memory, storage int64) {
	memory, storage = defaultMemory, defaultStorage
	if c.Memory > 0 {
		memory = c.Memory
	}
	if c.Storage > 0 {
		storage = c.Storage
	}
	return memory, storage
}

// Difficulty returns what the metadata say, in lower case; empty: nothing.
func (c *Config) Difficulty() string {
	text, _ := c.Metadata["difficulty"].(string)
	return strings.ToLower(strings.TrimSpace(text))
}

// Expand returns variables with ${NAME} and ${NAME:-TEXT} replaced by those of the machine. Only names that allowed lists
// are taken from it. The error names a variable that is missing or not allowed.
func Expand(env map[string]string, allowed []string) (all []string, err error) {
	form := regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)(:-([^}]*))?\}`)
	for name, text := range env {
		text = form.ReplaceAllStringFunc(text, func(use string) string {
			at := form.FindStringSubmatch(use)
			value, set := os.LookupEnv(at[1])
			switch given := slices.Contains(allowed, at[1]); {
			case given && set && (value != "" || at[2] == ""):
				return value
			case at[2] != "":
				return at[3]
			case given:
				err = fmt.Errorf("variable %s: %s is not set on this machine", name, at[1])
			default:
				err = fmt.Errorf("variable %s: wants %s of this machine: name it in harbor.variables", name, at[1])
			}
			return ""
		})
		all = append(all, name+"="+text)
	}
	slices.Sort(all)
	return all, err
}

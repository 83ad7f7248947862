package agent

import (
	"os"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/gateway"
)

// environ is the environment of the program: that of this process without its secrets, with
// the addresses and the key of the session.
func (p *Program) environ(session *gateway.Solo, f *folder, address string) (all []string) {
	base := address + sessionPath + session.ID()
	own := map[string]string{
		"OPENAI_BASE_URL": base + "/v1", "OPENAI_API_KEY": session.Key(), "ANTHROPIC_BASE_URL": base, "ANTHROPIC_API_KEY": session.Key(),
		"QUINTAIN_PROBLEM": f.problem(), "QUINTAIN_RESULT": f.output(), "PYTHONUNBUFFERED": "1",
	}
	if f.host != nil {
		own["QUINTAIN_TRIAL_URL"] = address + trialPath + session.ID()
	}
	for _, name := range []string{"NO_PROXY", "no_proxy"} { // its calls stay on this machine
		own[name] = strings.TrimPrefix(os.Getenv(name)+",127.0.0.1", ",")
	}
	for _, entry := range os.Environ() {
		name, _, _ := strings.Cut(entry, "=")
		if _, ok := own[name]; !ok && (!secret(name) || slices.Contains(p.how.Pass, name)) {
			all = append(all, entry)
		}
	}
	for name, value := range own {
		all = append(all, name+"="+value)
	}
	slices.Sort(all)
	return all
}

// secret reports whether a variable looks like a secret, or leads to a model elsewhere.
func secret(name string) bool {
	name = strings.ToUpper(name)
	begins := func(prefix string) bool { return strings.HasPrefix(name, prefix) }
	ends := func(suffix string) bool { return strings.HasSuffix(name, suffix) }
	return slices.ContainsFunc([]string{"OPENAI_", "ANTHROPIC_", "AZURE_OPENAI_", "QUINTAIN_"}, begins) ||
		slices.ContainsFunc([]string{"_KEY", "_KEY_ID", "_TOKEN", "_SECRET", "_PASSWORD"}, ends)
}

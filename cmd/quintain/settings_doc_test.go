package main

import (
	"flag"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/quintain-rl/quintain/internal/settings"
	"github.com/quintain-rl/quintain/run/player"
)

var update = flag.Bool("update", false, "write docs/settings.md anew")

// settingsDoc is the document of all settings.
const settingsDoc = "../../docs/settings.md"

// settingsHead is the text before the tables.
const settingsHead = `# Settings

Made from the declarations in the code by ` + "`make docs`" + `; do not edit.

Each setting has a key, in the YAML file that ` + "`--config`" + ` names and for ` + "`--with KEY=VALUE`" + `, and an
environment variable; a few have a flag. ` + "`quintain settings WORD`" + ` finds them. Of a flag and
` + "`--with`" + ` for one setting the last counts. A flag wins over the variable, the variable over the file, and the file over the
default. A verb takes the settings that it uses; the file and the environment may hold those
of other verbs as well. An unknown key or variable is an error. ` + "`quintain settings --file`" + ` prints the
file of what is set.

The defaults are those of the policy tiny. For the others ` + "`quintain settings --file --policy script`" + ` and
` + "`--policy openai`" + ` print theirs.
`

func TestSettingsDocIsFresh(t *testing.T) {
	text := settingsHead + settings.New(defaults(player.Tiny)).Markdown(verbsOf)
	if *update {
		if err := os.WriteFile(settingsDoc, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := os.ReadFile(settingsDoc)
	if err != nil || string(kept) != text {
		t.Errorf("docs/settings.md is not what the declarations say (%v): run go test ./cmd/quintain -run SettingsDoc -update", err)
	}
}

// Every setting has a meaning that begins in lower case, and is used by a verb other than
// config.
func TestEverySettingIsDocumented(t *testing.T) {
	for _, s := range settings.New(defaults(player.Tiny)).Settings() {
		doc := s.Help()
		switch {
		case len(doc) < 5 || !unicode.IsLower([]rune(doc)[0]) && !strings.HasPrefix(doc, "NATS") && !strings.HasPrefix(doc, "HTTP"):
			t.Errorf("%s: %q does not say what it means", s.Path(), doc)
		case strings.HasSuffix(doc, "."):
			t.Errorf("%s: %q ends like a sentence", s.Path(), doc)
		case len(verbsOf(s.Path())) == 0:
			t.Errorf("%s: no verb uses it", s.Path())
		}
	}
}

// The flags of a verb are those of its settings, under names that do not meet.
func TestVerbsHaveTheFlagsOfTheirSettings(t *testing.T) {
	for _, verb := range slices.Sorted(maps.Keys(uses())) {
		c, _, err := newRoot(&world{environ: func() []string { return nil }}, "").Find(strings.Fields(verb))
		if err != nil {
			t.Fatal(err)
		}
		flags := map[string]string{}
		for _, s := range settings.New(defaults(player.Tiny)).Use(uses()[verb]...).Settings() {
			name := s.FlagName()
			if name == "" {
				continue // only in the configuration file and the environment
			}
			if other, taken := flags[name]; taken {
				t.Errorf("%s: %s and %s have the flag --%s", verb, other, s.Path(), name)
			}
			flags[name] = s.Path()
			if c.Flags().Lookup(name) == nil {
				t.Errorf("%s has no flag --%s for %s", verb, name, s.Path())
			}
		}
	}
	if c, _, err := newRoot(&world{}, "").Find([]string{"eval"}); err != nil || c.Flags().Lookup("batch-size") != nil {
		t.Errorf("eval has a flag of a setting that it does not use (error %v)", err)
	}
}

package main

import (
	"os"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/policy/judge/jury"
	"github.com/quintain-rl/quintain/run/player"
	"github.com/quintain-rl/quintain/settings"
	"github.com/quintain-rl/quintain/settings/flags"
)

// Each of the 339 settings that there were is one, or the new one is named: as a flag, a key in a
// file with line and column, a key of --with, and a variable.
func TestNoSettingIsLost(t *testing.T) {
	text, err := os.ReadFile("testdata/former.tsv")
	if err != nil {
		t.Fatal(err)
	}
	config, judge := settings.New(defaults(player.Tiny)), jury.Defaults()
	judges := settings.New(&judge)
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")[1:]
	if len(lines) != 339 {
		t.Fatalf("there are %d settings, want 339", len(lines))
	}
	for _, line := range lines {
		key, flag, _ := strings.Cut(line, " ")
		form, command := config, "settings"
		if of, is := strings.CutPrefix(key, "judge:"); is {
			key, form, command = of, judges, "judge check"
		}
		_, err := form.Find(key)
		if now := flags.Former()[key]; (err == nil) == (now != "") {
			t.Errorf("%s: error %v, and it is now %q", key, err, now)
		} else if now != "" {
			refused(t, key, now)
		}
		if flag != "" {
			refusedFlag(t, command, key, flag)
		}
	}
}

// refused tries a former key. All of a scenario's name is a field of scenario still.
func refused(t *testing.T, key, now string) {
	t.Helper()
	now, _, _ = strings.Cut(now, "=")
	use, variable := "use "+now, "use "+settings.Prefix+strings.ToUpper(strings.ReplaceAll(now, ".", "_"))
	if settings.InWords(now) {
		use, variable = now, now
	}
	form := func() *settings.Form { return settings.New(defaults(player.Tiny)) }
	if key != "scenario.name" {
		steps, file, indent := strings.Split(key, "."), "", ""
		for _, step := range steps {
			file, indent = file+"\n"+indent+step+":", indent+"  "
		}
		at := []string{"", "1:1", "2:3", "3:5"}[len(steps)]
		want := "f.yaml:" + at + ": " + key + ": " + use
		if err := form().Load(settings.Sources{File: "f.yaml", Data: []byte(file[1:] + " x"), Former: flags.Former()}); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	name := settings.Prefix + strings.ToUpper(strings.ReplaceAll(key, ".", "_"))
	want := name + ": " + variable
	if err := form().Load(settings.Sources{Environ: []string{name + "=x"}, Former: flags.Former()}); err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("error %v, want %s", err, want)
	}
	p := start("settings", "--with", key+"=x")
	if status := p.wait(t); status != exitUsage || !strings.Contains(p.stderr.String(), "--with "+key+": "+by(key)) {
		t.Errorf("--with %s: status %d, %s", key, status, p.stderr.String())
	}
}

// refusedFlag tries a former flag: a verb has it, or names what sets the setting.
func refusedFlag(t *testing.T, command, key, flag string) {
	t.Helper()
	c, _, err := newRoot(&world{environ: func() []string { return nil }}, "").Find(strings.Fields(command))
	if err != nil {
		t.Fatal(err)
	}
	if c.Flags().Lookup(flag) != nil {
		return
	}
	p := start(append(strings.Fields(command), "--"+flag+"=x")...)
	if status := p.wait(t); status != exitUsage || !strings.Contains(p.stderr.String(), "quintain: --"+flag+": "+by(key)) {
		t.Errorf("--%s: status %d, %s", flag, status, p.stderr.String())
	}
}

// by returns how a refusal on the command line goes on: it names a flag, or says what to do.
func by(key string) string {
	if now := flags.Former()[key]; settings.InWords(now) {
		return now
	}
	return "use --"
}

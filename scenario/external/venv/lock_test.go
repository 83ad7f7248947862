package venv

import (
	"strings"
	"testing"
)

// A run keeps each lock once, and tells the one before; what a worker with other packages is told has the line that installs these.
func TestKeepTellsOtherPackages(t *testing.T) {
	dir := t.TempDir()
	old := Env{Wish: Wish{Scheme: "textarena"}, Python: "3.12.1", Locked: []string{"textarena==0.7.3"}}
	now := Env{Wish: Wish{Scheme: "textarena"}, Python: "3.12.1", Locked: []string{"textarena==0.7.4"}}
	other := Env{Wish: Wish{Scheme: "gem"}, Python: "3.12.1", Locked: []string{"gem-llm==0.1.0"}}
	for _, c := range []struct {
		why    string
		of     Env
		before string
	}{{"the first", old, ""}, {"the same", old, ""}, {"another scheme", other, ""}, {"another version", now, old.LockName()}, {"known again", old, ""}} {
		before, err := c.of.Keep(dir)
		if err != nil || !strings.HasSuffix(before, c.before) || (before == "") != (c.before == "") {
			t.Errorf("%s: before it was %q, error %v, want %q", c.why, before, err, c.before)
		}
	}
	if mark := now.Mark("textarena:Wordle-v0"); mark == old.Mark("textarena:Wordle-v0") || !strings.Contains(mark, "quintain environments install textarena:Wordle-v0 --lock FILE, with the file environments/"+now.LockName()) {
		t.Errorf("it is marked %s", mark)
	}
	if l, err := ReadLock(dir + "/" + now.LockName()); err != nil || l.Scheme != now.Scheme || l.Digest != now.Digest() || l.Packages[0] != now.Locked[0] {
		t.Errorf("the kept lock is %+v, error %v", l, err)
	}
}

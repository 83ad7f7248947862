package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/gateway"
	"github.com/quintain-rl/quintain/gateway/journal"
	"github.com/quintain-rl/quintain/internal/datadir"
	"github.com/quintain-rl/quintain/internal/jsonl"
	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/queue/files"
	"github.com/quintain-rl/quintain/tiny/starter"
)

// A restedFolder is a data folder at rest: the content of its files now, and when its run was younger.
type restedFolder struct {
	path     string
	now, old map[string][]byte
	whole    *reading // of now
	aside    string   // file that was removed; empty: none
}

// playedRun are the arguments of a run of the embedded model that takes half a second.
func playedRun(data string, args ...string) []string {
	return append([]string{"run", "--scenario", "nim_family", "--group-size", "4", "--batch-size", "8", "--with", "run.keep_weights=1", "--with", "run.max_lag=1", "--port", "0", "--data", data}, args...)
}

// called runs the program, and returns what it prints to each of its outputs.
func called(t *testing.T, args ...string) (status int, out, errs string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	status = execute(&world{args: args, stdin: strings.NewReader(""), stdout: &stdout, stderr: &stderr, environ: func() []string { return []string{"LANG=C"} }})
	return status, stdout.String(), stderr.String()
}

// files returns the content of the files of a folder, by their paths in it.
func (f *restedFolder) files(t *testing.T) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	err := filepath.WalkDir(f.path, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(f.path, path)
		if err == nil {
			all[name], err = os.ReadFile(path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// restore puts the files back in place: a new one would be a copy, which marks tell.
func (f *restedFolder) restore(t *testing.T) {
	t.Helper()
	if f.aside != "" {
		if err := os.Rename(f.path+".aside", filepath.Join(f.path, f.aside)); err != nil {
			t.Fatal(err)
		}
		f.aside = ""
	}
	for name := range f.files(t) {
		if f.now[name] == nil {
			if err := os.Remove(filepath.Join(f.path, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, data := range f.now {
		path := filepath.Join(f.path, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, data, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
}

// rested makes a data folder with everything that a run, a gateway and a trace leave.
func rested(t *testing.T) *restedFolder {
	t.Helper()
	f := &restedFolder{path: filepath.Join(t.TempDir(), "data")}
	play := func(n int) {
		if status, _, errs := called(t, playedRun(f.path, "--steps", "2", "--exam-problems", "1")...); status != exitOK {
			t.Fatal(errs)
		}
		j, err := journal.Open(filepath.Join(f.path, "sessions"), journal.Options{}, func(journal.Record) error { return nil })
		if err != nil {
			t.Fatal(err)
		}
		for i := range 5 {
			err = errors.Join(err, j.Append(context.Background(), journal.Record{Session: fmt.Sprintf("session%d.%d", n, i), Data: make([]byte, 300)}))
		}
		_, cannot := gateway.LoadSecret(f.path, slog.New(slog.DiscardHandler))
		if err := errors.Join(err, j.Close(), cannot); err != nil {
			t.Fatal(err)
		}
	}
	play(1)
	f.old = f.files(t)
	play(2)
	f.now = f.files(t)
	f.whole = f.read(t)
	return f
}

// A reading is what the readers of a data folder give, and what they say.
type reading struct {
	items map[string]string // what there is, by its reader, a space and its name: a digest of it
	told  map[string]string // by the reader
	state string            // how they end
}

// add adds an item. Equal ones get numbers.
func (r *reading) add(reader, name string, content []byte) {
	key := reader + " " + name
	for n := 2; r.items[key] != ""; n++ {
		key = fmt.Sprintf("%s %s %d", reader, name, n)
	}
	r.items[key] = fmt.Sprintf("%x", sha256.Sum256(content))
}

// say adds what a reader says.
func (r *reading) say(reader, text string) { r.told[reader] += text }

// words are all that the readers say.
func (r *reading) words() string {
	return strings.Join(slices.Sorted(maps.Values(r.told)), "")
}

// read reads all that is in the folder, by the readers that people have, and then has a run go on in it.
func (f *restedFolder) read(t *testing.T) *reading {
	t.Helper()
	r := &reading{items: map[string]string{}, told: map[string]string{}}
	f.readGroups(t, r)
	f.readSessions(r)
	f.readFiles(r)
	status, out, errs := called(t, "doctor", "data", f.path)
	r.say("doctor", errs)
	for line := range strings.Lines(out) {
		if strings.Contains(line, "IS NOT READ") || strings.Contains(line, "; ") {
			r.say("doctor", line)
		}
	}
	r.state = fmt.Sprint("doctor ", status)
	status, out, errs = called(t, playedRun(f.path, "--steps", "1", "--exam-problems", "0")...)
	r.say("run", errs)
	r.state += fmt.Sprint("; run ", status, regexp.MustCompile(`to version \d+`).FindString(out))
	return r
}

// readGroups reads the trace and the queue.
func (f *restedFolder) readGroups(t *testing.T, r *reading) {
	t.Helper()
	for reader, args := range map[string][]string{"trace": {"export", "records", "--data", f.path}, "queue": {"hub", "queue", "dump", f.path}} {
		_, out, errs := called(t, args...)
		r.say(reader, errs)
		for line := range strings.Lines(out) {
			var group struct {
				ID      string           `json:"id"`
				Problem quintain.Problem `json:"problem"`
			}
			if err := json.Unmarshal([]byte(line), &group); err != nil {
				t.Fatal(err)
			}
			r.add(reader, cmp.Or(group.ID, group.Problem.ID()), []byte(line))
		}
	}
	_, err := files.Look(t.Context(), filepath.Join(f.path, datadir.Queue), func(q *queue.Queue) error {
		for letter := 'a'; letter <= 'z'; letter++ { // that a key begins with
			states, err := q.States(t.Context(), string(letter))
			if err != nil {
				return err
			}
			for _, s := range states {
				r.add("states", s.Key, s.Value)
			}
		}
		for i := range q.Stats().Known {
			r.add("known", fmt.Sprint(i), nil)
		}
		return nil
	})
	if err != nil {
		r.say("states", err.Error()+"\n")
	}
}

// readSessions reads the journal of sessions and the secret of their keys, as a gateway does.
func (f *restedFolder) readSessions(r *reading) {
	log := &bytes.Buffer{}
	to := slog.New(slog.NewTextHandler(log, nil))
	j, err := journal.Open(filepath.Join(f.path, datadir.Sessions), journal.Options{Log: to}, func(one journal.Record) error {
		r.add("sessions", one.Session, one.Data)
		return nil
	})
	if err == nil {
		err = j.Close()
	}
	if err != nil {
		log.WriteString(err.Error() + "\n")
	}
	r.say("sessions", log.String())
	log.Reset()
	secret, err := gateway.LoadSecret(f.path, to)
	if err != nil {
		log.WriteString(err.Error() + "\n")
	} else {
		r.add("secret", "", secret)
	}
	r.say("secret", log.String())
}

// readFiles reads the files of lines and of weights. What is wrong with them, doctor and the run say;
// of weights that nobody plays, who names them is told.
func (f *restedFolder) readFiles(r *reading) {
	for name := range f.now {
		path := filepath.Join(f.path, name)
		switch {
		case strings.HasSuffix(name, ".jsonl"):
			lines, _ := jsonl.ReadLog[map[string]any](path)
			for _, line := range lines {
				r.add("lines", fmt.Sprintf("%s %.8x", name, sha256.Sum256(fmt.Append(nil, line))), nil)
			}
		case strings.HasSuffix(name, ".weights"):
			if _, err := starter.ReadCheckpoint(path, nil); err != nil {
				r.say("weights", err.Error()+"\n")
			} else if data, err := os.ReadFile(path); err == nil {
				r.add("weights", name, data)
			}
		}
	}
}

// damages are the kinds, each by what it makes of a file; nil removes it.
func damages(r *rand.Rand) map[string]func(b, old []byte) []byte {
	at := func(b []byte) int { return r.IntN(max(1, len(b))) }
	return map[string]func(b, old []byte) []byte{
		"a bit": func(b, _ []byte) []byte {
			if len(b) > 0 {
				b[at(b)] ^= 1 << r.IntN(8)
			}
			return b
		},
		"a cut at a line or record": func(b, _ []byte) []byte {
			n := at(b)
			if i := bytes.LastIndexAny(b[:n], "\n"); i > 0 {
				n = i + 1
			}
			return b[:n]
		},
		"a cut": func(b, _ []byte) []byte { return b[:at(b)] },
		"zeros": func(b, _ []byte) []byte {
			n := at(b)
			clear(b[n:min(len(b), n+64)])
			return b
		},
		"an older copy": func(b, old []byte) []byte {
			if old == nil {
				return b
			}
			return slices.Clone(old)
		},
		"its removal": func(_, _ []byte) []byte { return nil },
	}
}

// noLoss are files whose damage loses nothing: what is told of them is knowledge about others.
var noLoss = regexp.MustCompile(`^(marks/|lock$|queue/(ends|lock)$|sessions/lock$|.*\.bad$)`)

// A loss is how a reading differs from that of the whole folder.
type loss struct {
	lost, more, changed []string // items, with their readers
}

// lossOf compares two readings.
func lossOf(before, after *reading) (l loss) {
	for _, key := range slices.Sorted(maps.Keys(before.items)) {
		switch digest, there := after.items[key]; {
		case !there:
			l.lost = append(l.lost, key)
		case digest != before.items[key]:
			l.changed = append(l.changed, key)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(after.items)) {
		if _, there := before.items[key]; !there {
			l.more = append(l.more, key)
		}
	}
	return l
}

// of counts the items of a reader.
func of(reader string, keys []string) (n int) {
	for _, key := range keys {
		if strings.HasPrefix(key, reader+" ") {
			n++
		}
	}
	return n
}

// Words that allow what is more, or otherwise, than before.
var (
	comesAgain = regexp.MustCompile(`acknowledged may be handed out again|acknowledged since come again|are not as they were written`)
	otherwise  = regexp.MustCompile(`may have its previous value|do not belong together|secret`)
	counted    = map[string]*regexp.Regexp{
		"trace": regexp.MustCompile(`with (\d+) groups? cannot be read|(\d+) of \d+ groups are missing`),
		"queue": regexp.MustCompile(`; (\d+) missing, (\d+) unreadable`),
	}
	uncounted = regexp.MustCompile(`the file is missing|damaged places? beside|it has no end|at its beginning|put it back`)
)

// faults are what is wrong with what the readers say of a damage, given what it took.
func (l *loss) faults(name string, after *reading, stopped bool) (all []string) {
	words, base := after.words(), filepath.Base(name)
	if len(l.lost)+len(l.more)+len(l.changed) == 0 && !stopped {
		return nil
	}
	if !strings.Contains(words, base) {
		return []string{"it is silent"}
	}
	if gone := strings.HasPrefix(name, "weights/") && strings.Contains(words, "no such file"); gone { // who names them is told that there are none; nothing else uses them
		return nil
	}
	if !slices.ContainsFunc(ways(), func(w way) bool { return w.words.MatchString(words) }) {
		all = append(all, "there is no remedy")
	}
	if len(l.more) > 0 && !comesAgain.MatchString(words) || len(l.changed) > 0 && !otherwise.MatchString(words) {
		all = append(all, "there is something else than before, and nothing says so")
	}
	for reader, count := range counted {
		if uncounted.MatchString(after.told[reader]) || after.told[reader] == "" {
			continue
		}
		n := 0
		for _, found := range count.FindAllStringSubmatch(after.told[reader], -1) {
			for _, text := range found[1:] {
				one, _ := strconv.Atoi(text)
				n += one
			}
		}
		if lost := of(reader, l.lost); n != lost {
			all = append(all, fmt.Sprintf("%s has lost %d, and %d are told", reader, lost, n))
		}
	}
	for _, key := range l.lost {
		if session, is := strings.CutPrefix(key, "sessions "); is && !strings.Contains(after.told["sessions"], session) && !strings.Contains(after.told["sessions"], base) {
			all = append(all, session+" is lost, and nothing says so")
		}
	}
	return all
}

// A way is a remedy in words, and how people follow it. A whole one brings everything back.
type way struct {
	words  *regexp.Regexp
	whole  bool
	follow func(f *restedFolder, t *testing.T, name string, said []string) error
}

// ways are all remedies.
func ways() []way {
	beside := func(f *restedFolder, name, said string) string {
		if filepath.IsAbs(said) {
			return said
		}
		return filepath.Join(f.path, filepath.Dir(name), said)
	}
	return []way{
		{regexp.MustCompile(`put (back|it back)`), true, func(f *restedFolder, t *testing.T, _ string, _ []string) error {
			f.restore(t)
			return nil
		}},
		{regexp.MustCompile(`(or|;) go on w|goes on|go on from|a new one|follows|makes the file anew`), false, func(*restedFolder, *testing.T, string, []string) error { return nil }},
		{regexp.MustCompile(`remove (?:the file )?(\S+) to go on`), false, func(f *restedFolder, _ *testing.T, name string, said []string) error {
			return os.Remove(beside(f, name, said[1]))
		}},
		{regexp.MustCompile(`: cp (\S+) (\S+)\n`), false, func(_ *restedFolder, _ *testing.T, _ string, said []string) error {
			data, err := os.ReadFile(said[1])
			return errors.Join(err, os.WriteFile(said[2], data, 0o600))
		}},
		{regexp.MustCompile(`move (it|the folder) away|or move the folder away`), false, func(f *restedFolder, t *testing.T, name string, _ []string) error {
			return os.Rename(filepath.Join(f.path, filepath.Dir(name)), filepath.Join(t.TempDir(), "away"))
		}},
		{regexp.MustCompile(`write (\{.*?\}) into it`), true, func(f *restedFolder, _ *testing.T, name string, said []string) error {
			return os.WriteFile(filepath.Join(f.path, name), []byte(said[1]), 0o600)
		}},
	}
}

// damage puts the damaged content of a file into the whole folder; nil removes it.
func (f *restedFolder) damage(t *testing.T, name string, made []byte) {
	t.Helper()
	f.restore(t)
	path := filepath.Join(f.path, name)
	var err error
	if made == nil {
		f.aside, err = name, os.Rename(path, f.path+".aside")
	} else {
		err = os.WriteFile(path, made, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// harm damages one file, and compares what the readers then give and say with the whole folder. Then it
// follows each remedy in their words. It reports whether the damage changed the file.
func (f *restedFolder) harm(t *testing.T, r *rand.Rand, name, kind string) bool {
	t.Helper()
	made := damages(r)[kind](slices.Clone(f.now[name]), f.old[name])
	if bytes.Equal(made, f.now[name]) && made != nil {
		return false
	}
	f.damage(t, name, made)
	after := f.read(t)
	l := lossOf(f.whole, after)
	stopped := after.state != f.whole.state
	faults := l.faults(name, after, stopped)
	if noLoss.MatchString(name) && len(l.lost)+len(l.more)+len(l.changed) > 0 {
		faults = append(faults, "it should lose nothing")
	}
	if base := filepath.Base(name); strings.Contains(after.words(), base) && !strings.Contains(f.whole.words(), base) {
		for _, w := range ways() {
			if said := w.words.FindStringSubmatch(after.words()); said != nil {
				faults = append(faults, f.follow(t, name, made, w, said, after)...)
			}
		}
	}
	if len(faults) > 0 {
		t.Errorf("%s of %s: %s\nlost %.300q\nmore %.300q\nchanged %.300q\n%s, before %s\n%s", kind, name, strings.Join(faults, "; "), l.lost, l.more, l.changed, after.state, f.whole.state, after.words())
	}
	return true
}

// follow follows a remedy for a damage, and tells what is wrong then: after one that brings everything
// back, any difference; after another, that the run does not go on, or that more is lost than after the
// damage.
func (f *restedFolder) follow(t *testing.T, name string, made []byte, w way, said []string, damaged *reading) (faults []string) {
	t.Helper()
	f.damage(t, name, made)
	if err := w.follow(f, t, name, said); err != nil {
		return []string{fmt.Sprintf("%q: %v", said[0], err)}
	}
	after := f.read(t)
	base := filepath.Base(name)
	if w.whole {
		if l := lossOf(f.whole, after); len(l.lost)+len(l.more)+len(l.changed) > 0 || after.state != f.whole.state || strings.Contains(after.words(), base) {
			faults = append(faults, fmt.Sprintf("%q does not bring back all: %.300q, %s, %s", said[0], l, after.state, after.words()))
		}
		return faults
	}
	if strings.Contains(after.state, "run 1") && !strings.Contains(damaged.words(), ": cp ") {
		faults = append(faults, fmt.Sprintf("%q: the run does not go on: %s", said[0], after.told["run"]))
	}
	away := filepath.Base(filepath.Dir(name)) + " "
	for _, key := range lossOf(damaged, after).lost {
		if strings.HasPrefix(key, "trace ") || strings.HasPrefix(key, "sessions ") && !strings.HasPrefix(key, away) {
			faults = append(faults, fmt.Sprintf("%q loses %s too", said[0], key))
		}
	}
	return faults
}

// TestDamageAtRest damages files of a data folder, 300 of them with -tags heavy, and as many again that
// hold no records themselves. None is silent: the readers give exactly what was there but for what they
// tell as lost, with the file and a remedy, and each remedy does what it says.
func TestDamageAtRest(t *testing.T) {
	f := rested(t)
	r := rand.New(rand.NewPCG(7, 11))
	names, kinds := slices.Sorted(maps.Keys(f.now)), slices.Sorted(maps.Keys(damages(r)))
	for i, harmed := 0, 0; harmed < damagesAtRest; i++ {
		if name := names[i%len(names)]; f.harm(t, r, name, kinds[i/len(names)%len(kinds)]) && !noLoss.MatchString(name) {
			harmed++
		}
	}
}

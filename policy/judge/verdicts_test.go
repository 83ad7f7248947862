package judge_test

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/quintain-rl/quintain/policy/judge"
)

// open opens a store until the test ends, or the returned function is called.
func open(t *testing.T, dir string, most int) (*judge.Store, func()) {
	t.Helper()
	s, err := judge.OpenStore(dir, most)
	if err != nil {
		t.Fatal(err)
	}
	end := sync.OnceFunc(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(end)
	return s, end
}

// key returns key n.
func key(n int) (k judge.VerdictKey) {
	binary.BigEndian.PutUint64(k[:], uint64(n))
	return k
}

// at is the time of all verdicts.
var at = time.Date(2026, 11, 27, 0, 0, 0, 0, time.UTC)

// put keeps a verdict for each key from low to high-1.
func put(t *testing.T, s *judge.Store, low, high int) {
	t.Helper()
	for n := low; n < high; n++ {
		if err := s.Put(key(n), judge.StoredVerdict{Choices: []string{"no", "yes"}, Reasoned: "line\nend", At: at}); err != nil {
			t.Fatal(err)
		}
	}
}

// count returns how many keys below n have verdicts, each whole.
func count(t *testing.T, s *judge.Store, n int) (kept int) {
	t.Helper()
	for i := range n {
		v, known := s.Get(key(i))
		if !known {
			continue
		}
		kept++
		if strings.Join(v.Choices, " ") != "no yes" || v.Reasoned != "line\nend" || !v.At.Equal(at) {
			t.Fatalf("key %d has %+v", i, v)
		}
	}
	return kept
}

func TestVerdictsOutliveTheStore(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "a", "b")
	s, end := open(t, dir, 1000)
	put(t, s, 0, 300)
	if err := s.Put(key(7), judge.StoredVerdict{Choices: []string{"other"}}); err != nil {
		t.Fatal(err)
	}
	end()
	s, _ = open(t, dir, 1000)
	if kept := count(t, s, 400); kept != 300 {
		t.Errorf("%d verdicts are kept, want 300", kept)
	}
	if got, want := s.Stats(), (judge.StoreStats{Kept: 300, Hits: 300, Misses: 100}); got != want {
		t.Errorf("stats %+v, want %+v", got, want)
	}
}

func TestStoreIsBounded(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s, end := open(t, dir, 80)
	put(t, s, 0, 1000)
	if kept := s.Stats().Kept; kept > 80 || kept < 70 {
		t.Errorf("%d verdicts are kept, want at most 80", kept)
	}
	if _, known := s.Get(key(999)); !known {
		t.Error("the newest verdict is gone")
	}
	end()
	files, err := filepath.Glob(filepath.Join(dir, "verdicts-*"))
	if err != nil || len(files) != 8 {
		t.Errorf("%d files, error %v", len(files), err)
	}
	s, _ = open(t, dir, 80)
	if kept := count(t, s, 1000); kept > 80 || kept < 70 {
		t.Errorf("%d verdicts are kept after another start", kept)
	}
}

// However a crash or a disk damages a file, other verdicts are read, and no wrong one.
func TestDamageLosesOnlyWhatItHits(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s, end := open(t, dir, 8000)
	put(t, s, 0, 20)
	end()
	path := filepath.Join(dir, "verdicts-00000001.jsonl")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(whole, []byte("\n"))
	damage := map[string][]byte{
		"zeros":         append(bytes.Clone(whole), make([]byte, 100)...),
		"an empty line": append([]byte("\n"), whole...),
		"noise":         append([]byte("xyz abc\n"), whole...),
		"twice":         append(bytes.Clone(whole), whole...),
	}
	for cut := range len(lines[19]) - 1 {
		damage["cut "+string(rune('a'+cut%26))] = whole[:len(whole)-1-cut]
	}
	for i := range len(lines[3]) - 1 {
		flipped := bytes.Clone(whole)
		flipped[3*len(lines[3])+i] ^= 1
		damage["flip "+string(rune('a'+i%26))+string(rune('a'+i/26))] = flipped
	}
	for why, text := range damage {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		s, end := open(t, dir, 8000)
		if kept := count(t, s, 20); kept < 18 {
			t.Errorf("%s: %d verdicts are kept", why, kept)
		}
		if s.Stats().Kept > 20 {
			t.Errorf("%s: %d verdicts", why, s.Stats().Kept)
		}
		put(t, s, 100, 101)
		end()
		s, end = open(t, dir, 8000)
		if _, known := s.Get(key(100)); !known {
			t.Errorf("%s: a verdict written afterwards is lost", why)
		}
		end()
	}
}

func TestManyGoroutines(t *testing.T) {
	t.Parallel()
	s, _ := open(t, t.TempDir(), 64)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for n := range 500 {
				if err := s.Put(key(n), judge.StoredVerdict{Choices: []string{"no", "yes"}, Reasoned: "line\nend", At: at}); err != nil {
					t.Error(err)
				}
				s.Get(key(n / 2))
			}
		})
	}
	all.Wait()
	if kept := s.Stats().Kept; kept > 64 {
		t.Errorf("%d verdicts", kept)
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	if _, err := judge.OpenStore(t.TempDir(), 7); err == nil || !strings.Contains(err.Error(), "want 8 or more") {
		t.Errorf("error %v", err)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := judge.OpenStore(filepath.Join(file, "x"), 8); err == nil {
		t.Error("a file is taken for a folder")
	}
}

func BenchmarkGet(b *testing.B) {
	s, err := judge.OpenStore(b.TempDir(), 1<<16)
	if err != nil {
		b.Fatal(err)
	}
	for n := range 10_000 {
		if err := s.Put(key(n), judge.StoredVerdict{Choices: []string{"yes"}, At: at}); err != nil {
			b.Fatal(err)
		}
	}
	for n := 0; b.Loop(); n++ {
		s.Get(key(n % 10_000))
	}
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
}

// The key of a folder stays with it; a damaged one is made anew, since no verdict depends on it.
func TestTheSecretStays(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	secret := func() string {
		t.Helper()
		s, err := judge.OpenStore(dir, 8)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = s.Close() }()
		return string(s.Secret())
	}
	one := secret()
	if again := secret(); again != one || len(one) < 26 {
		t.Errorf("secrets %q and %q", one, again)
	}
	if err := os.WriteFile(filepath.Join(dir, "secret"), []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	if fresh := secret(); fresh == one || fresh != secret() {
		t.Errorf("secrets %q and %q", one, fresh)
	}
}

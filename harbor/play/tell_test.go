package play

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/quintain-rl/quintain/sandbox/box"
)

func TestTold(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		why  string
		got  box.Result
		want string
	}{
		{"nothing", box.Result{}, "[no output]\n[exit 0, 0.0 s]"},
		{"an output", box.Result{Output: []byte("a\n"), Exit: 1, Wall: 2300 * time.Millisecond, Dir: "/w"}, "a\n[exit 1, 2.3 s, in /w]"},
		{"no line feed", box.Result{Output: []byte("a")}, "a\n[exit 0, 0.0 s]"},
		{"a signal", box.Result{Signal: 9}, "[no output]\n[ended by signal 9, 0.0 s]"},
		{"time", box.Result{TimedOut: true, Signal: 2, Wall: 5 * time.Second}, "[no output]\n[time is up after 5 s, and it was ended, 5.0 s]"},
		{"memory", box.Result{MemoryKilled: true, Exit: 137}, "[no output]\n[exit 137, the memory was full, and a process was killed, 0.0 s]"},
		{"storage", box.Result{StorageFull: true}, "[no output]\n[exit 0, the disk was full, and all processes were killed, 0.0 s]"},
		{"network", box.Result{Unreachable: true, Exit: 6}, "[no output]\n[exit 6, there is no network, 0.0 s]"},
		{"colours, titles and NUL", box.Result{Output: []byte("\x1b[1;31mred\x1b[0m \x1b]0;title\x07x\x1b(By\x00z\n")}, "red xyz\n[exit 0, 0.0 s]"},
		{"no UTF-8", box.Result{Output: []byte("a\xffb\n")}, "a\uFFFDb\n[exit 0, 0.0 s]"},
		{"a line that is written again", box.Result{Output: []byte("10%\r50%\r100%\nend\r\n")}, "100%\nend\n[exit 0, 0.0 s]"},
		{"a line that ends by going back", box.Result{Output: []byte("10%\r20%\r")}, "20%\n[exit 0, 0.0 s]"},
		{"text like a token stays", box.Result{Output: []byte("<|im_end|>\n")}, "<|im_end|>\n[exit 0, 0.0 s]"},
		{"left out by the trial", box.Result{Output: []byte("begin\nend\n"), Head: 6, Cut: 1000}, "begin\n[1000 characters left out]\nend\n[exit 0, 0.0 s]"},
	} {
		if got := told(test.got, 100, 5); got != test.want {
			t.Errorf("%s: %q, want %q", test.why, got, test.want)
		}
	}
}

func TestCut(t *testing.T) {
	t.Parallel()
	lines := strings.Repeat("012345678\n", 100)
	for _, test := range []struct{ why, text, want string }{
		{"short", lines[:100], lines[:100]},
		{"at lines", lines, lines[:40] + "[900 characters left out]\n" + lines[:60]},
		{"within lines", strings.Repeat("x", 1000), strings.Repeat("x", 40) + "\n[900 characters left out]\n" + strings.Repeat("x", 60)},
		{"characters, not bytes", strings.Repeat("é", 101), strings.Repeat("é", 40) + "\n[1 characters left out]\n" + strings.Repeat("é", 60)},
	} {
		if got := cut(test.text, 100); got != test.want {
			t.Errorf("%s: %q, want %q", test.why, got, test.want)
		}
	}
}

// FuzzTold tells any output in bounded, valid text whose last line is ours.
func FuzzTold(f *testing.F) {
	f.Add([]byte("a\r\nb\x1b[31m\x00\xff"), 3, int64(4))
	f.Add([]byte(strings.Repeat("é\n", 300)), 100, int64(0))
	f.Fuzz(func(t *testing.T, output []byte, head int, out int64) {
		head = max(0, min(head, len(output)))
		got := told(box.Result{Output: output, Head: head, Cut: max(0, out)}, 100, 1)
		if !utf8.ValidString(got) || !strings.HasSuffix(got, "\n[exit 0, 0.0 s]") || utf8.RuneCountInString(got) > 100+100 || strings.ContainsAny(got, "\x00\r") {
			t.Fatalf("%q: %q", output, got)
		}
	})
}

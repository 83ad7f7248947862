package resident

import (
	"slices"
	"strings"
	"testing"
)

func TestPristine(t *testing.T) {
	const (
		text  = "00400000-01531000 r-xp 00000000 fd:01 77 /opt/a program\nSize: 17604 kB\nAnonymous:             0 kB\n"
		table = "01531000-029c4000 r--p 01131000 fd:01 77 /opt/a program\nPrivate_Dirty:         4 kB\nAnonymous:             0 kB\n" // dirty: not yet on disk
	)
	for _, test := range []struct {
		why, smaps string
		want       []mapping
	}{
		{"code and tables", text + table, []mapping{{0x400000, 0x1531000}, {0x1531000, 0x29c4000}}},
		{"what is written stays", text + "029c4000-02b03000 rw-p 025c4000 fd:01 77 /opt/a program\n", []mapping{{0x400000, 0x1531000}}},
		{"what a linker has filled in stays", text + strings.Replace(table, "Anonymous:             0 kB", "Anonymous:             8 kB", 1), []mapping{{0x400000, 0x1531000}}},
		{"so does code with a breakpoint", strings.Replace(text, "Anonymous:             0 kB", "Anonymous:             4 kB", 1) + table, []mapping{{0x1531000, 0x29c4000}}},
		{"other files stay", text + strings.ReplaceAll(table, "a program", "libc.so"), []mapping{{0x400000, 0x1531000}}},
		{"a program that was replaced", strings.ReplaceAll(text, "a program", "a program (deleted)"), []mapping{{0x400000, 0x1531000}}},
		{"memory without a file", strings.ReplaceAll(text, "/opt/a program", ""), nil},
		{"nothing", "", nil},
	} {
		if got, err := pristine(strings.NewReader(test.smaps), 0x400010); err != nil || !slices.Equal(got, test.want) {
			t.Errorf("%s: %x, %v; want %x", test.why, got, err, test.want)
		}
	}
	for _, wrong := range []string{"so-so r-xp 0 0 0 /a", "00400000-01531000 r-xp"} {
		if got, err := pristine(strings.NewReader(wrong), 0x400010); err == nil {
			t.Errorf("%q: %x, want an error", wrong, got)
		}
	}
}

package flags

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/spf13/cobra"
)

// program is a tool with a visible command, a hidden one, and text that roff could take for its own.
func program() *cobra.Command {
	root := &cobra.Command{Use: "tool", Short: "Do things"}
	root.CompletionOptions.DisableDefaultCmd = true
	done := func(*cobra.Command, []string) {}
	play := &cobra.Command{Use: "play FILE", Short: "Play a file", Run: done,
		Long:    "Play plays.\n.TH is no request here, nor is \\fB.\n\nThe forms:\n\n  a  one\n'b' two",
		Example: "  tool play --count 2 x.json"}
	play.Flags().IntP("count", "n", 1, "games to play")
	play.Flags().String("secret", "", "not shown")
	_ = play.Flags().MarkHidden("secret")
	root.AddCommand(play, &cobra.Command{Use: "inner", Short: "Not shown", Hidden: true, Run: done})
	return root
}

const playPage = `.TH "TOOL\-PLAY" 1 "" "tool v1.0.0" "tool"
.SH NAME
tool\-play \- Play a file
.SH SYNOPSIS
.B tool play FILE [flags]
.SH DESCRIPTION
Play plays.
\&.TH is no request here, nor is \efB.
.PP
The forms:
.PP
.nf
  a  one
\&'b' two
.fi
.SH OPTIONS
.TP
.B \-n, \-\-count int
games to play (default 1)
.SH EXAMPLES
.nf
  tool play \-\-count 2 x.json
.fi
.SH SEE ALSO
\fBtool\fR(1)
`

func TestWrite(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "man")
	if err := WriteManual(folder, "v1.0.0", program()); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if !slices.Equal(names, []string{"tool-play.1", "tool.1"}) {
		t.Errorf("pages %q: want one for each visible command", names)
	}
	got, err := os.ReadFile(filepath.Join(folder, "tool-play.1"))
	if err != nil || string(got) != playPage {
		t.Errorf("error %v, page:\n%s\nwant:\n%s", err, got, playPage)
	}
}

func TestWriteSaysThatItCannot(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := WriteManual(file, "v1.0.0", program()); err == nil {
		t.Error("pages below a file: no error")
	}
}

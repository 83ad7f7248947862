package flags

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

func TestPagesGroupTheCommands(t *testing.T) {
	root := program()
	root.AddGroup(&cobra.Group{ID: "see", Title: "See:"})
	root.AddCommand(&cobra.Command{Use: "look", Short: "See a file", GroupID: "see", Run: func(*cobra.Command, []string) {}})
	const want = ".SH COMMANDS\n.TP\n.B play\nPlay a file\n.SS See\n.TP\n.B look\nSee a file\n"
	if got := manualPage(root, "v1.0.0"); !strings.Contains(got, want) {
		t.Errorf("page:\n%s\nwant in it:\n%s", got, want)
	}
}

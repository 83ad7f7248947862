package watch_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/internal/datadir"
	"github.com/quintain-rl/quintain/run/watch"
)

// TestTheFoldersOfARunAreShownAsOne opens the folders of two processes of a run.
func TestTheFoldersOfARunAreShownAsOne(t *testing.T) {
	var folders []string
	for version, task := range []string{"malformed", "score"} {
		dir := fill(t, "")
		line := `{"version":` + string(rune('0'+version)) + `,"mean_score":0.5,"tasks":{"` + task + `":0.25}}` + "\n"
		if err := os.WriteFile(filepath.Join(dir, datadir.Evaluations), []byte(line), 0o644); err != nil {
			t.Fatal(err)
		}
		row := `{"step":` + string(rune('1'+version)) + `,"time":1,"values":{"train/` + task + `":1}}` + "\n"
		if err := os.WriteFile(filepath.Join(dir, datadir.Metrics), []byte(row), 0o644); err != nil {
			t.Fatal(err)
		}
		folders = append(folders, dir)
	}
	pages, err := watch.New(watch.Config{Data: folders[1], Others: folders[:1]})
	if err != nil {
		t.Fatal(err)
	}
	page := export(t, pages)
	for _, want := range []string{"Mean score on held-out problems: 0.500 at version 0, 0.500 at version 1", "train/malformed", "train/score"} {
		if !strings.Contains(page, want) {
			t.Errorf("there is no %s", want)
		}
	}
}

package main

import (
	"bytes"
	"io/fs"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/trace/archive/archivetest"
)

// TestARunArchivesItsTrace plays a run with an archive, and reads it there.
func TestARunArchivesItsTrace(t *testing.T) {
	const secret = "a-secret-of-the-test"
	bucket := archivetest.New()
	server := httptest.NewServer(bucket)
	defer server.Close()
	environ := func() []string {
		return []string{"AWS_ENDPOINT_URL=" + server.URL, "AWS_ACCESS_KEY_ID=" + archivetest.ID, "AWS_SECRET_ACCESS_KEY=" + secret}
	}
	data, page := t.TempDir(), filepath.Join(t.TempDir(), "page.html")
	run := []string{"run", "--policy", "script", "--steps", "2", "--data", data, "--port", "0"}
	said := ""
	do := func(status int, args ...string) string {
		t.Helper()
		var out, errs bytes.Buffer
		if got := execute(&world{args: args, stdin: strings.NewReader(""), stdout: &out, stderr: &errs, environ: environ}); got != status {
			t.Errorf("%v: status %d\n%s", args, got, &errs)
		}
		said += errs.String()
		return out.String()
	}
	do(exitOK, append(run, "--archive", "s3://bucket/runs")...)
	if len(bucket.Puts) != 1 || !strings.HasPrefix(bucket.Puts[0], "runs/") {
		t.Fatalf("archived are %v\n%s", bucket.Puts, said)
	}
	if here, there := do(exitOK, "export", "records", "--data", data), do(exitOK, "export", "records", "--data", "s3://bucket/runs"); here != there || here == "" {
		t.Error("the archive has other groups")
	}
	if both := do(exitOK, "trace", "list", "--data", "s3://bucket", "--data", data); both != do(exitOK, "trace", "list", "--data", data, "--data", data) {
		t.Errorf("the archive and the folder are not one:\n%s", both)
	}
	do(exitOK, "view", "s3://bucket/runs", "--export", page)
	if text, err := os.ReadFile(page); err != nil || !strings.Contains(string(text), "chain_sum") {
		t.Errorf("the page of the archive has no groups, error %v", err)
	}
	do(exitUsage, "trace", "list", "--data", "s3://bucket/none")
	do(exitUsage, append(run, "--archive", "bucket")...)
	if !strings.Contains(said, "there is no trace in s3://bucket/none") || !strings.Contains(said, `archive: is "bucket", want s3://BUCKET/PREFIX`) {
		t.Errorf("the program says\n%s", said)
	}
	err := filepath.WalkDir(data, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		if said += string(text); strings.Contains(said, secret) || strings.Contains(said, archivetest.ID) {
			t.Errorf("%s, or the log, has a key", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

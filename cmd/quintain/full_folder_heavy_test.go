//go:build heavy && linux

package main

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// With the groups on NATS, a coordinator whose data folder is full goes on: what it keeps beside the groups is
// lost until there is room, which one ERROR and a metric tell.
func TestAFullFolderDoesNotStopARunOnNATS(t *testing.T) {
	data := t.TempDir()
	if err := syscall.Mount("tmpfs", data, "tmpfs", 0, "size=16m"); err != nil {
		t.Fatalf("root alone can make a disk of a size: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(data, syscall.MNT_DETACH) })
	runs := start("run", "--workers", "--policy", "script", "--with", "policy.accuracy=0.5", "--tasks", "chain_sum:0-3", "--consumer", "hub", "--max-lag", "100000",
		"--exam-problems", "0", "--port", "0", "--data", data, "--nats-url", startNATS(t))
	await(t, runs, "quintain worker --coordinator ")
	_, after, _ := strings.Cut(runs.stderr.String(), "quintain worker --coordinator ")
	url, _, _ := strings.Cut(after, " ")
	plays := start("worker", "--coordinator", url, "--slots", "16")
	count := func(path, pattern string) int {
		found := regexp.MustCompile(pattern).FindStringSubmatch(askHub(t, 200, "GET "+url+path, "", ""))
		if found == nil {
			return 0
		}
		n, err := strconv.ParseFloat(found[1], 64)
		if err != nil {
			t.Fatal(err)
		}
		return int(n)
	}
	waiting := func() int { return count("/v1/runs/default/stats", `"waiting":\{"groups":(\d+)`) }
	lost := func() int {
		return count("/metrics", `(?m)^quintain_artifacts_lost_total\{file="trace"\} (\S+)`)
	}
	until := func(what string, done func() bool) {
		for end := time.Now().Add(2 * time.Minute); !done(); <-time.After(50 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("%s: not within two minutes\n%s", what, runs.stderr.String())
			}
		}
	}
	until("groups come", func() bool { return waiting() > 50 })
	fill := filepath.Join(data, "fill")
	f, err := os.Create(fill)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for err == nil {
		_, err = f.Write(make([]byte, 4096))
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	until("the trace loses groups", func() bool { return lost() > 0 })
	have := waiting()
	until("groups go on", func() bool { return waiting() > have+100 })
	if err := os.Remove(fill); err != nil {
		t.Error(err)
	}
	f.Close()
	plays.interrupts <- os.Interrupt
	plays.wait(t)
	runs.interrupts <- os.Interrupt
	if status := runs.wait(t); status != exitOK {
		t.Errorf("it ends with status %d", status)
	}
	if said := runs.stderr.String(); strings.Count(said, "level=ERROR") != 1 || t.Failed() {
		t.Errorf("it says %s", said)
	}
}

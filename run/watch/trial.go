package watch

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/internal/strictjson"
)

// A trial is what the record of a turn tells of a trial of Harbor.
type trial struct {
	Task    string `json:"task"`
	Image   string `json:"image"`
	Changed *struct {
		Files int   `json:"files"`
		Bytes int64 `json:"bytes"`
	} `json:"changed"`
	System []string `json:"changed_system"`
	Last   []string `json:"last"`
	Kept   string   `json:"kept"`
	Tests  *struct {
		Exit    int     `json:"exit"`
		Signal  int     `json:"signal"`
		Seconds float64 `json:"seconds"`
		Output  string  `json:"output"`
	} `json:"tests"`
}

// trialText tells of the trial in a record; empty: it is no trial's.
func trialText(record json.RawMessage) string {
	var of trial
	if len(record) == 0 || strictjson.Unmarshal(record, &of) != nil || of.Image == "" || of.Changed == nil {
		return ""
	}
	lines := slices.Concat(of.Last, []string{fmt.Sprintf("%s changed, %d bytes", stats.Count(of.Changed.Files, "file"), of.Changed.Bytes)})
	if len(of.System) > 0 {
		lines = append(lines, "system files: "+strings.Join(of.System, " "))
	}
	if of.Kept != "" {
		lines = append(lines, "kept in "+of.Kept)
	}
	if t := of.Tests; t != nil {
		how := fmt.Sprintf("exit %d", t.Exit)
		if t.Signal != 0 {
			how = fmt.Sprintf("ended by signal %d", t.Signal)
		}
		lines = append(lines, fmt.Sprintf("tests: %s, %.1f s", how, t.Seconds), t.Output)
	}
	return strings.Join(lines, "\n")
}

// callText shows a call of a tool: of bash as in a terminal.
func callText(c quintain.ToolCall) string {
	var of struct {
		Command string `json:"command"`
	}
	if c.Name == "bash" && strictjson.Unmarshal([]byte(c.Arguments), &of) == nil && of.Command != "" {
		return "$ " + of.Command
	}
	return c.Name + " " + c.Arguments
}

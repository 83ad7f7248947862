// Package prove says what an environment is worth: it plays episodes that right, wrong, senseless and
// cheating policies would play, and finds wrong labels, rewards for nothing, answers that leak, and episodes that
// do not repeat. It needs no model and no network, and reaches an environment by the nouns alone.
//
// A [Check] asks one question. What was not measured never passes; a failed check has a [Witness].
package prove

import (
	"context"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/stats"
)

// A Status is the outcome of a check.
type Status string

// The outcomes of a check.
const (
	Pass          Status = "pass"
	Fail          Status = "fail"           // a promise is broken, and the witness shows it
	Warn          Status = "warn"           // not sure, or not grave
	NotApplicable Status = "not_applicable" // the environment has no such thing
	NotChecked    Status = "not_checked"    // nothing was measured; WhyNot says why
	Fault         Status = "error"          // of the check itself
)

// A Result is what a check found.
type Result struct {
	ID        string             `json:"id"`
	OpenEnv   []string           `json:"openenv,omitempty"` // ids of OpenEnv's policy that it stands for
	Status    Status             `json:"status"`
	Question  string             `json:"question"`
	Found     string             `json:"found,omitempty"` // a sentence for people
	Measured  map[string]float64 `json:"measured,omitempty"`
	Threshold map[string]float64 `json:"threshold,omitempty"` // by the names of Measured
	Interval  *stats.Interval    `json:"interval,omitempty"`  // of the rate, 99.9 %
	Episodes  int                `json:"episodes"`
	Seconds   float64            `json:"seconds"`
	Witness   *Witness           `json:"witness,omitempty"`
	Remedy    string             `json:"remedy,omitempty"`   // only if it did not pass
	WhyNot    string             `json:"why_not,omitempty"`  // why nothing was measured
	Accepted  string             `json:"accepted,omitempty"` // why the author accepts the fail
}

// A Witness is an episode that shows a fault.
type Witness struct {
	Problem  string   `json:"problem"`
	Opening  string   `json:"opening,omitempty"` // cut at 2,000 characters
	Replies  []string `json:"replies"`           // each cut likewise
	Expected string   `json:"expected"`
	Observed string   `json:"observed"`
	Command  string   `json:"command,omitempty"` // that shows it again
}

// A Check asks one question of an environment.
type Check struct {
	ID       string
	OpenEnv  []string
	Question string
	Remedy   string

	Quick         bool // part of the quick form
	Least, Wanted int  // episodes; 0: it plays none of its own
	Chance        bool // a fail must show again in a second, independent draw

	run func(context.Context, *bench, *Result)
}

// Checks returns all checks in the order in which they run.
func Checks() []Check {
	return slices.Concat(startChecks(), declChecks(), reproChecks(), rewardChecks(), leakChecks(), robustChecks(), cheatChecks(), lastChecks())
}

// A Subject is an environment that was started.
type Subject struct {
	Scenario quintain.Scenario
	Levels   []int                   // that are checked, the easiest first
	HeldOut  []int                   // those of them that are never trained on
	Range    *[2]float64             // of the sum of an episode's rewards, as declared; nil: unknown
	MaxTurns int                     // most replies of an episode, as declared; 0: unknown
	Parallel int                     // most requests at once; 0: any
	Apart    bool                    // it plays in a process of its own
	Guess    func(level int) float64 // what its documents say that guessing earns; nil: nothing
	Source   string                  // package and version
	Digest   string                  // of the package
	Close    func()                  // ends it; nil: nothing to end
}

// surface is the reason that the environment gives for what guesses earn; empty: none.
func (s *Subject) surface() string { return s.Scenario.TaskInfo().Surface }

// A Job says what to check.
type Job struct {
	Address string // of the environment, as the user gave it
	Command string // that begins the commands of witnesses: quintain prove ADDRESS

	// Open starts the environment once more, in a process of its own if it has one.
	Open func(context.Context) (*Subject, error)

	Seed    uint64
	Seconds float64 // budget; 0: no limit
	Quick   bool    // only the quick checks
	Deep    bool    // ten times the episodes
	Only    []string
	Most    int                                                                   // episodes of a check; 0: as many as it wants
	Solver  func(ctx context.Context, opening []quintain.Message) (string, error) // replies to a problem's opening; nil: none
	Told    func(id string, n, of int)                                            // hears of each check that begins; nil: nobody
}

// A Report is all that was found.
type Report struct {
	Format      int         `json:"format"` // 1
	Environment Environment `json:"environment"`
	Machine     string      `json:"machine"`
	Quintain    string      `json:"quintain"`
	Seed        uint64      `json:"seed"`
	Seconds     float64     `json:"seconds"`
	Policy      string      `json:"policy"` // quick, usual or deep
	Verdict     string      `json:"verdict"`
	Counts      Counts      `json:"counts"`
	Checks      []*Result   `json:"checks"`
	OpenEnv     []Standing  `json:"openenv"`     // each id of OpenEnv's policy v2
	NotChecked  []string    `json:"not_checked"` // ids of checks
	Opening     string      `json:"opening,omitempty"`
	Oracle      []string    `json:"oracle,omitempty"` // the talk of an episode of the solver
	Changes     []Change    `json:"changes,omitempty"`
}

// An Environment says what was checked.
type Environment struct {
	Address  string `json:"address"`
	Scenario string `json:"scenario"` // its ID
	Task     string `json:"task"`
	Source   string `json:"source,omitempty"`
	Digest   string `json:"digest,omitempty"`
}

// Counts are the numbers of checks by status.
type Counts struct {
	Passed        int `json:"passed"`
	Failed        int `json:"failed"`
	Warned        int `json:"warned"`
	NotChecked    int `json:"not_checked"`
	NotApplicable int `json:"not_applicable"`
	Errors        int `json:"errors"`
}

// The verdicts.
const (
	Proven   = "proven"   // nothing failed, and what matters most was measured
	Faulty   = "faulty"   // something failed
	Unproven = "unproven" // nothing failed, but something that matters most was not measured
)

// vital lists the checks without which nothing is proven.
var vital = []string{"reward.oracle", "reward.floor", "repro.same", "robust.senseless", "leak.answer"}

// sum counts the results, and gives the verdict.
func (r *Report) sum() {
	r.Counts, r.NotChecked, r.Verdict = Counts{}, []string{}, Proven
	faulty := false
	for _, c := range r.Checks {
		*r.Counts.of(c.Status)++
		if c.Status == NotChecked {
			r.NotChecked = append(r.NotChecked, c.ID)
		}
		faulty = faulty || c.Status == Fail && c.Accepted == ""
	}
	for _, id := range vital {
		if !r.measured(id) {
			r.Verdict = Unproven
		}
	}
	if faulty {
		r.Verdict = Faulty
	}
	r.OpenEnv = standings(r.Checks)
}

// of returns the count of a status.
func (c *Counts) of(s Status) *int {
	switch s {
	case Pass:
		return &c.Passed
	case Fail:
		return &c.Failed
	case Warn:
		return &c.Warned
	case NotChecked:
		return &c.NotChecked
	case NotApplicable:
		return &c.NotApplicable
	}
	return &c.Errors
}

// measured reports whether a check measured something.
func (r *Report) measured(id string) bool {
	return slices.ContainsFunc(r.Checks, func(c *Result) bool {
		return c.ID == id && c.Status != NotChecked && c.Status != Fault
	})
}

// Accept marks fails that the author disputes, by the ids of checks, with the reasons. It gives the verdict anew.
func (r *Report) Accept(reasons map[string]string) {
	for _, c := range r.Checks {
		if c.Status == Fail {
			c.Accepted = reasons[c.ID]
		}
	}
	r.sum()
}

// A Change is a check whose status differs from an earlier report.
type Change struct {
	ID     string `json:"id"`
	Before Status `json:"before"`
	Now    Status `json:"now"`
}

// Compare tells what changed since an earlier report.
func (r *Report) Compare(before *Report) {
	old := map[string]Status{}
	for _, c := range before.Checks {
		old[c.ID] = c.Status
	}
	for _, c := range r.Checks {
		if was := old[c.ID]; was != "" && was != c.Status {
			r.Changes = append(r.Changes, Change{c.ID, was, c.Status})
		}
	}
}

// longest is the most characters of a text in a report.
const longest = 2000

// cut returns the beginning of a text for people.
func cut(text string) string {
	text = strings.ToValidUTF8(text, "\ufffd")
	if runes := []rune(text); len(runes) > longest {
		return string(runes[:longest]) + "…"
	}
	return text
}

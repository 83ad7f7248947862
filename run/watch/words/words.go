// Package words says in words for people what a run counts.
package words

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/quintain-rl/quintain"
)

// Meaning explains an outcome of an episode.
func Meaning(o quintain.Outcome) string {
	switch o {
	case quintain.Scored:
		return "the reply was judged"
	case quintain.ModelFailed:
		return "the reply was judged too, but was cut or had no readable answer: that is data with a reward, and no fault"
	case quintain.EnvFailed:
		return "the environment failed"
	case quintain.InfraFailed:
		return "the policy's server or the connection to it failed"
	case quintain.Cancelled:
		return "stopped before its end"
	case quintain.TimedOut:
		return "took too long"
	case quintain.PromptTooLong:
		return "the prompt leaves no room for a reply"
	case quintain.Ungraded:
		return "the judge gave no verdict: it may be judged later"
	case quintain.Forfeited:
		return "another seat gave the match up: nobody is paid for that"
	}
	return ""
}

// Spoken is the name of a series for people: what it says, without the place in a log.
func Spoken(name string) string {
	if words, ok := seriesNames[name]; ok {
		return words
	}
	for _, p := range [][2]string{
		{"train/dropped_per_s/", ""}, {"train/score/", "score on training problems of "}, {"eval/", "score on held-out problems of "},
		{"curriculum/complexity/", "difficulty of "},
	} {
		if rest, ok := strings.CutPrefix(name, p[0]); ok {
			return p[1] + strings.ReplaceAll(rest, "_", " ")
		}
	}
	return name
}

// seriesNames are the names for people of series.
var seriesNames = map[string]string{
	"train/score": "score on training problems", "eval/percent_correct": "score on held-out problems",
	"eval/percent_correct_low": "lower end of its interval", "eval/percent_correct_high": "upper end",
	"train/percent_correct": "right replies", "train/malformed": "without a readable answer",
	"train/groups_differ": "groups whose rewards differ", "train/commonest_answer": "answers that are the commonest one",
	"train/tokens_per_s": "sampled tokens", "train/groups_per_s": "played", "train/kept_per_s": "kept", "train/steps_per_s": "training steps",
	"train/lag": "mean", "train/lag_max": "oldest",
	"train/completion_lengths": "mean", "train/completion_lengths_min": "shortest", "train/completion_lengths_max": "longest",
	"learn/entropy": "entropy", "learn/kl": "distance to the reference", "learn/drift": "drift between sampling and training",
	"learn/clip_fraction": "clipped ratios", "learn/cap_fraction": "capped weights", "learn/grad_norm": "gradient",
	"learn/loss": "loss", "learn/policy_loss": "of it, the policy's",
	"train_perf/task_duration_mean": "mean", "train_perf/task_duration_max": "slowest",
	"curriculum/avg_complexity": "their difficulty",
}

// Count writes a number with commas between thousands.
func Count(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0 && text[i-1] != '-'; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// Number writes a number with four digits, and commas.
func Number(v float64) string {
	switch size := math.Abs(v); {
	case size >= 1e15 || size > 0 && size < 1e-4:
		return strconv.FormatFloat(v, 'g', 4, 64)
	case size >= 1000:
		return Count(int(math.Round(v)))
	}
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 4, 64), 64)
	if err != nil {
		return "" // cannot happen
	}
	if math.Abs(rounded) >= 1000 {
		return Count(int(rounded))
	}
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}

// Seconds writes a time with two digits.
func Seconds(v float64) string {
	d := time.Duration(v * float64(time.Second))
	to := time.Duration(1)
	for d/to >= 100 {
		to *= 10
	}
	d = d.Round(to)
	switch {
	case d >= 2*time.Minute:
		return d.String()
	case d >= time.Second:
		return Number(d.Seconds()) + " s"
	case d >= time.Millisecond:
		return Number(float64(d)/float64(time.Millisecond)) + " ms"
	}
	return Number(float64(d)/float64(time.Microsecond)) + " µs"
}

// Bytes writes a number of bytes.
func Bytes(bytes float64) string {
	for _, unit := range []string{"B", "kB", "MB", "GB", "TB"} {
		if bytes < 1000 || unit == "TB" {
			return Number(bytes) + " " + unit
		}
		bytes /= 1000
	}
	return ""
}

// Took writes how long something took.
func Took(d time.Duration) string {
	switch {
	case d >= time.Minute:
		return d.Round(time.Second).String()
	case d >= time.Second:
		return fmt.Sprintf("%.1f\u00a0s", d.Seconds())
	case d >= time.Millisecond:
		return fmt.Sprintf("%.1f\u00a0ms", d.Seconds()*1e3)
	}
	return fmt.Sprintf("%.0f\u00a0µs", d.Seconds()*1e6)
}

package examform_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/run/exam"
	"github.com/quintain-rl/quintain/run/exam/examform"
)

// report is a report with all that forms show. The names try to break them.
func report() *exam.Report {
	mean := 0.75
	s := exam.Summary{
		Scored: 1, Mean: &mean, Within: &stats.Interval{Low: 0.5, High: 1}, At: []exam.At{{K: 1, Pass: 0.5, Majority: 0.5}, {K: 2, Pass: 1, Majority: 0.5}},
		Malformed: 0.5, Lengths: &exam.Lengths{Mean: 12, Median: 12, P95: 19.5, Most: 20, Cut: 0.25},
		Episodes: map[quintain.Outcome]int{quintain.Scored: 1, quintain.ModelFailed: 1},
		Play:     &exam.MeanRegrets{Episodes: 2, Regret: 0.25, Illegal: 0.125, Turns: 4},
		Metrics:  map[string]float64{"style": 0.5, "\x1b[2J": 12345678},
		Harbor:   &exam.HarborMean{Mean: 0.25, Trials: 7},
	}
	problem := &exam.Problem{ID: "s/t|<b>.v1.s1.l0.0", Episodes: []exam.Episode{
		{Outcome: quintain.Scored, Score: 1, Right: true, Answer: `<script>alert("1")</script>`, Tokens: 4},
		{Outcome: quintain.ModelFailed, Score: 0.5, Malformed: true, Tokens: 20, Cut: true},
	}}
	return &exam.Report{
		Summary: s, Samples: 2, Left: 3, Seconds: 1, LastFault: "<i>refused</i>",
		Rows: []*exam.Row{
			{Label: "t|<b>:0", Task: "t|<b>", Category: "games", Level: 0, Summary: s, Set: 4, Distinct: 4, Problems: []*exam.Problem{problem}},
			{Label: "t|<b>:1", Task: "t|<b>", Category: "games", Level: 1, Set: 1, Distinct: 1, Complete: true, Problems: []*exam.Problem{}},
			{Label: "u:1", Task: "u", Category: "logic", Level: 1, Set: 1, Distinct: 1, Problems: []*exam.Problem{}},
		},
		Tasks:      []*exam.Part{{Name: "t|<b>", Summary: s}, {Name: "u"}},
		Categories: []*exam.Part{{Name: "games", Summary: s}, {Name: "logic"}},
		Levels:     []*exam.Part{{Name: "0", Summary: s}, {Name: "1"}},
	}
}

// written is a report in the form with a name.
func written(t *testing.T, name string) string {
	t.Helper()
	for _, f := range examform.Forms() {
		if f.Name != name {
			continue
		}
		var b bytes.Buffer
		if err := f.Write(&b, report()); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	t.Fatal("there is no form " + name)
	return ""
}

func Example() {
	for _, f := range examform.Forms()[1:] {
		fmt.Println(f.Name, f.File)
	}
	// Output:
	// json report.json
	// csv report.csv
	// markdown report.md
	// html report.html
}

func TestForms(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		form       string
		has, hasNo []string
	}{
		{"table", []string{
			"t|<b>:0 ", "1 of 4", "0.500–1.000", "2: 1.000", "50.0 %", "25.0 %", "0 of 1 (all there are)", "all levels of", "category", "; 3 problems left", "as Harbor counts", "0.250 of 7",
			"episodes 2 (scored: 1, model_failed: 1)", `; metrics "\x1b[2J" 1.235e+07, "style" 0.5`,
		}, []string{"NaN"}},
		{"markdown", []string{`| t\|<b>:0 | 1 of 4 | 0.750 | 0.500–1.000 | 0.500 | 2: 1.000 | 2: 0.500 | 50.0 % | 12 | 20 | 25.0 % | 0 | 0.250 | 12.5 % | 4.0 | 0.250 of 7 |`}, []string{"| t|<b>"}},
		{"html", []string{
			"t|&lt;b&gt;:0", "&lt;script&gt;alert", "no answer", "&lt;i&gt;refused", `<path d="M60.0 6H120.0"`, "1 of 2 right",
		}, []string{"<script", "<b>", "<i>", "src=", "href="}},
	} {
		text := written(t, test.form)
		for _, want := range test.has {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %q in\n%s", test.form, want, text)
			}
		}
		for _, bad := range test.hasNo {
			if strings.Contains(text, bad) {
				t.Errorf("%s: %q in\n%s", test.form, bad, text)
			}
		}
	}
}

// Without games, the tables have no columns for them.
func TestTablesWithoutGames(t *testing.T) {
	t.Parallel()
	r := report()
	for _, s := range []*exam.Summary{&r.Summary, &r.Rows[0].Summary, &r.Tasks[0].Summary, &r.Categories[0].Summary, &r.Levels[0].Summary} {
		s.Play = nil
	}
	form, err := examform.Named("table")
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := form.Write(&b, r); err != nil || strings.Contains(b.String(), "regret") {
		t.Errorf("error %v, in\n%s", err, b.String())
	}
}

func TestCSV(t *testing.T) {
	t.Parallel()
	lines, err := csv.NewReader(strings.NewReader(written(t, "csv"))).ReadAll()
	if err != nil || len(lines) != 1+3+2+2+2+1 {
		t.Fatalf("%d lines, error %v", len(lines), err)
	}
	row := func(i int) string { return strings.Join(lines[i], ";") }
	for i, want := range map[int]string{
		0:  "kind;name;task;category;level;scored;mean_score;low;high;pass@1;majority@1;pass@2;majority@2;malformed;tokens_mean;tokens_median;tokens_p95;tokens_most;cut;failed;episodes_scored;episodes_model_failed;episodes_env_failed;episodes_infra_failed;episodes_cancelled;episodes_timed_out;episodes_prompt_too_long;episodes_ungraded;episodes_forfeited;regret;illegal_rate;turns",
		1:  "row;t|<b>:0;t|<b>;games;0;1;0.75;0.5;1;0.5;0.5;1;0.5;0.5;12;12;19.5;20;0.25;0;1;1;0;0;0;0;0;0;0;0.25;0.125;4",
		2:  "row;t|<b>:1;t|<b>;games;1;0;;;;;;;;;;;;;;0;0;0;0;0;0;0;0;0;0;;;",
		10: "all;all;;;;1;0.75;0.5;1;0.5;0.5;1;0.5;0.5;12;12;19.5;20;0.25;0;1;1;0;0;0;0;0;0;0;0.25;0.125;4",
	} {
		if row(i) != want {
			t.Errorf("line %d is\n%s, want\n%s", i, row(i), want)
		}
	}
}

func TestJSONIsTheReport(t *testing.T) {
	t.Parallel()
	var back exam.Report
	if err := json.Unmarshal([]byte(written(t, "json")), &back); err != nil || !reflect.DeepEqual(&back, report()) {
		t.Errorf("%+v, error %v", back, err)
	}
}

package reply_test

import (
	"os"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/grade/mathverify/reply"
)

func TestFind(t *testing.T) {
	for _, test := range []struct {
		why, text, reference, want string
		rule                       reply.Rule
	}{
		{"a whole expression of prose", "The area is 16π square units.", "", "16π", reply.RuleNumber},
		{"a unit does not belong to it", "It moves at 3 × 10⁸ m/s.", "", "3 × 10⁸", reply.RuleNumber},
		{"but it does for a reference with one", "The bag weighs 1.5 grams.", "2 kg", `1.5\text{ grams}`, reply.RuleNumber},
		{"members of a list", "So x = 2 or x = −3.", "", "x = 2 or x = −3", reply.RuleNumber},
		{"members in lines of their own", "The roots are:\n- $x = 2$\n- $x = -3$", "", "x = 2, x = -3", reply.RuleFormula},
		{"an approximation is left out", "The side is 2√5 cm (about 4.47 cm).", "", "2√5", reply.RuleNumber},
		{"a condition is left out", "It is $f(x) = 2x$ for all real $x$.", "", "f(x) = 2x", reply.RuleFormula},
		{"a reason is left out", "They need 5 buses, since 4 would leave 12 behind.", "", "5", reply.RuleNumber},
		{"but not one that rejects the value", "5 would be too few, since they are 9.", "", "9", reply.RuleNumber},
		{"a check is left out", "So x = 7.\n\nCheck: 2·7 = 14", "", "x = 7", reply.RuleNumber},
		{"amounts of money are no formulas", "It rose from $40 to $55, a gain of $15.", "", "$15", reply.RuleNumber},
		{"an end of a proof is no answer", `Then $S = 1$. $\blacksquare$`, "", "S = 1", reply.RuleFormula},
		{"HTML", "We obtain x<sup>2</sup> &minus; 4.", "", "x^{2} − 4", reply.RuleNumber},
		{"words for a reference in words", "The drop happened in June.", `\text{May}`, "June", reply.RuleText},
		{"a yes before its reason", "Yes, both sides have 3 terms.", `\text{No}`, "yes", reply.RuleText},
		{"a time of day", "She comes at 3:45 p.m.", "3:40 PM", "3:45 p.m.", reply.RuleNumber},
		{"a box in a last paragraph of its own, whatever stands before it", "Maybe 5? No, I give up.\n\n$\\boxed{5}$", "", "5", reply.RuleBox},
		{"a tag in such a paragraph", "It is false that it is 5, and\n\n<answer>5</answer>", "", "5", reply.RuleTag},
		{"a bound is no value", "She can buy at most 7", "", "", reply.RuleNone},
	} {
		got, rule := reply.Find(test.text, test.reference)
		if got != test.want || rule != test.rule {
			t.Errorf("%s: Find(%q) is %q by %s, want %q by %s", test.why, test.text, got, rule, test.want, test.rule)
		}
	}
}

func TestLastStep(t *testing.T) {
	for text, want := range map[string]string{
		`2x = 8 \implies x = 4`: "x = 4", "2x = 8 ⇒ x = 4": "x = 4", `\therefore x = 4`: "x = 4", `x = 4 \Rightarrow`: "x = 4", "x = 4": "x = 4", `x \to 4`: `x \to 4`,
	} {
		if got := reply.LastStep(text); got != want {
			t.Errorf("LastStep(%q) is %q, want %q", text, got, want)
		}
	}
}

// Every row of the lexicon has a role, a language, a form and phrases in lower case, and the roles by which
// a policy could earn a reward for a denial have a row in each language.
func TestLexicon(t *testing.T) {
	data, err := os.ReadFile("lexicon.txt")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]bool{}
	for line := range strings.Lines(string(data)) {
		row := strings.SplitN(strings.TrimSuffix(line, "\n"), " ", 4)
		if row[0] == "#" {
			continue
		}
		rows[row[0]+" "+row[1]] = true
		if len(row) < 4 || strings.ToLower(row[3]) != row[3] || strings.Contains("|"+row[3]+"|", "||") {
			t.Errorf("%q is no row", line)
		}
	}
	for _, role := range strings.Fields("states denies refutes hedges retracts corrects") {
		for _, language := range strings.Fields("en de fr es pt it ru zh ja ko") {
			if !rows[role+" "+language] {
				t.Errorf("no row says what %s in %s", role, language)
			}
		}
	}
}

package scenarios_test

import (
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/scenarios"
)

const bookings = `{"question":"My booking is wrong.","goal":"You paid for 12 and then 7 seats. How many is that? Tell the numbers only when asked.","answer":19}
`

// table opens a conversation about the booking.
func table(t *testing.T, more ...string) (quintain.Table, quintain.Next) {
	t.Helper()
	s := find(t, "talk", readProblems(t, bookings), `{"user":"server:someone","user_turns":2`+strings.Join(more, "")+`}`).(quintain.Seated)
	p, err := s.Problem(quintain.Draw{})
	if err != nil {
		t.Fatal(err)
	}
	table, err := s.Table(p)
	if err != nil {
		t.Fatal(err)
	}
	next, err := table.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return table, next
}

func TestTalk(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		why     string
		replies []string // of policy and user in turn
		end     quintain.End
		score   float64
	}{
		{"the goal is reached", []string{"How many seats?", "12 and 7.", "That is <answer>19</answer>.", "<done>"}, quintain.Terminated, 1},
		{"the last answer counts", []string{"<answer>18</answer>", "Sure? I have 12 and 7.", "<answer>19</answer>", "<done>"}, quintain.Terminated, 1},
		{"it is not reached", []string{"<answer>18</answer>", "<done>"}, quintain.Terminated, 0},
		{"no answer", []string{"No idea.", "Thank you. <done>"}, quintain.Terminated, 0},
		{"the user goes on for ever", []string{"<answer>19</answer>", "And?", "Well.", "And?", "Well."}, quintain.Truncated, 1},
		{"an answer in thoughts is none", []string{"<think><answer>19</answer></think>Well.", "<done>"}, quintain.Terminated, 0},
	} {
		table, next := table(t)
		for _, text := range test.replies {
			if next.End != quintain.Going {
				t.Fatalf("%s: it ends before %q", test.why, text)
			}
			var err error
			if next, err = table.Step(t.Context(), next.Seat, quintain.Reply{Text: text, Finish: quintain.Stop}); err != nil {
				t.Fatal(test.why, err)
			}
		}
		if next.End != test.end || next.Rewards[0] != test.score || next.Rewards[0]+next.Rewards[1] != 1 {
			t.Errorf("%s: end %q, rewards %v, want %q and %v", test.why, next.End, next.Rewards, test.end, test.score)
		}
	}
}

// The user reads the goal and the policy's words, and the policy reads neither goal nor marker.
func TestWhoReadsWhatInTalk(t *testing.T) {
	t.Parallel()
	table, next := table(t)
	if read := told(next.Observe); next.Seat != 0 || !strings.Contains(read, "My booking is wrong.") || strings.Contains(read, "12") {
		t.Errorf("the policy reads first, at seat %d:\n%s", next.Seat, read)
	}
	next, err := table.Step(t.Context(), 0, quintain.Reply{Text: "<think>12 + 7, I guess.</think>How many seats?"})
	if read := told(next.Observe); err != nil || next.Seat != 1 || !strings.Contains(read, "You paid for 12 and then 7") || !strings.Contains(read, "How many seats?") || strings.Contains(read, "I guess") {
		t.Errorf("the user reads, error %v, at seat %d:\n%s", err, next.Seat, read)
	}
	next, err = table.Step(t.Context(), 1, quintain.Reply{Text: "<think>I shall tell it.</think>12 and 7."})
	if read := told(next.Observe); err != nil || read != "user: 12 and 7.\n" {
		t.Errorf("the policy reads, error %v: %q", err, read)
	}
	if _, err := table.Step(t.Context(), 1, quintain.Reply{Text: " "}); err == nil || !strings.Contains(err.Error(), "the user says nothing") {
		t.Errorf("error %v for a user without words", err)
	}
}

// The policy's replies count what the user has given away and said again.
func TestTalkCountsLeaks(t *testing.T) {
	t.Parallel()
	table, next := table(t)
	for _, text := range []string{"How many?", "12 and 7, or 119.", "How many?", "It is: 19!"} {
		var err error
		if next, err = table.Step(t.Context(), next.Seat, quintain.Reply{Text: text, Finish: quintain.Stop}); err != nil {
			t.Fatal(err)
		}
	}
	next, err := table.Step(t.Context(), next.Seat, quintain.Reply{Text: "<answer>19</answer>", Finish: quintain.Stop})
	if got := next.Metrics; err != nil || len(got) != 4 || got["user_turns"] != 2 || got["user_leaks"] != 1 || got["user_repeats"] != 0 {
		t.Errorf("metrics %v, error %v", got, err)
	}
}

// Messages in another script than the first one count as drift, and the tokens of all have a limit.
func TestTalkWatchesTheUser(t *testing.T) {
	t.Parallel()
	table, next := table(t, `,"user_tokens":9`)
	for _, reply := range []quintain.Reply{{Text: "How many?"}, {Text: "Двенадцать и 7.", Tokens: 5}, {Text: "Pardon?"}, {Text: "12 and 7, 十二.", Tokens: 4}, {Text: "<answer>19</answer>"}} {
		if next.End != quintain.Going {
			t.Fatalf("it ends before %q: %s", reply.Text, next.Why)
		}
		var err error
		if next, err = table.Step(t.Context(), next.Seat, reply); err != nil {
			t.Fatal(err)
		}
	}
	if next.End != quintain.Truncated || next.Rewards[0] != 1 || next.Metrics["user_drift"] != 1 {
		t.Errorf("end %q, %s, rewards %v, metrics %v", next.End, next.Why, next.Rewards, next.Metrics)
	}
}

// The user may write the first message, by its goal.
func TestTheUserBegins(t *testing.T) {
	t.Parallel()
	table, next := table(t, `,"first":"user"`)
	if read := told(next.Observe); next.Seat != 1 || !strings.Contains(read, "You paid for 12 and then 7") || strings.Contains(read, "My booking is wrong.") {
		t.Errorf("seat %d reads\n%s", next.Seat, read)
	}
	next, err := table.Step(t.Context(), 1, quintain.Reply{Text: "How many seats have I?"})
	if read := told(next.Observe); err != nil || next.Seat != 0 || !strings.HasSuffix(read, "user: How many seats have I?\n") || !strings.HasPrefix(read, "system: You help a user.") {
		t.Errorf("error %v, seat %d reads\n%s", err, next.Seat, read)
	}
	next, err = table.Step(t.Context(), 0, quintain.Reply{Text: "How many did you pay for?"})
	if read := told(next.Observe); err != nil || next.Seat != 1 || read != "user: How many did you pay for?\n" {
		t.Errorf("error %v, seat %d reads\n%s", err, next.Seat, read)
	}
}

func TestAUserWhoDoesNotBegin(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"<done>": "before it begins", " ": "says nothing"} {
		table, _ := table(t, `,"first":"user"`)
		if _, err := table.Step(t.Context(), 1, quintain.Reply{Text: text}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %s", text, err, want)
		}
	}
}

func told(messages []quintain.Message) string {
	var b strings.Builder
	for _, m := range messages {
		b.WriteString(m.Role + ": " + m.Content + "\n")
	}
	return b.String()
}

func TestTalkRefusesUsers(t *testing.T) {
	t.Parallel()
	for user, valid := range map[string]bool{"": true, "server:strong": true, "frozen:0": true, "server:": false, "policy": false, "strong": false} {
		if err := (&scenarios.Talk{User: user}).Check(); (err == nil) != valid {
			t.Errorf("user %q: error %v", user, err)
		}
	}
	if err := (&scenarios.Talk{First: scenarios.FromUser}).Check(); err == nil {
		t.Error("nobody begins")
	}
}

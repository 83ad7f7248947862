package trace

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/quintain-rl/quintain"
)

// roundTrip writes records into one block and reads them back.
func roundTrip(t interface {
	Helper()
	Fatal(args ...any)
}, records ...*Record) []*Record {
	t.Helper()
	var b block
	for _, r := range records {
		if err := b.add(r); err != nil {
			t.Fatal(err)
		}
	}
	payload, err := inflate(b.pack(newPacker()), maxPayload)
	if err != nil {
		t.Fatal(err)
	}
	u, err := unpack(payload)
	if err != nil {
		t.Fatal(err)
	}
	var back []*Record
	for i := range u.shares {
		r, err := u.record(i)
		if err != nil {
			t.Fatal(err)
		}
		back = append(back, r)
	}
	return back
}

// TestRecordsComeBack writes all kinds of episodes, and reads them back bit for bit.
func TestRecordsComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		records := rapid.SliceOfN(rapid.Custom(drawRecord), 1, 5).Draw(t, "records")
		for i, back := range roundTrip(t, records...) {
			same := reflect.DeepEqual(back, records[i])
			if signs := shown(back) == shown(records[i]); !same || !signs { // DeepEqual equates -0 and 0
				t.Fatalf("record %d came back as\n%s\nwant\n%s", i, inJSON(back), inJSON(records[i]))
			}
		}
	})
}

// shown formats a record without what it has pointers to. It removes that.
func shown(r *Record) string {
	r.Problem.Seat = nil
	for i := range r.Episodes {
		r.Episodes[i].Match, r.Episodes[i].Problem.Seat = nil, nil
		for k := range r.Episodes[i].Turns {
			r.Episodes[i].Turns[k].Call = nil
		}
	}
	return fmt.Sprintf("%+v", r)
}

// TestEveryFieldComesBack sets every field of a record at any depth, so that no new field is
// forgotten.
func TestEveryFieldComesBack(t *testing.T) {
	r := &Record{}
	fill(t, reflect.ValueOf(r).Elem(), "record")
	for i := range r.Episodes {
		r.Episodes[i].Problem = r.Problem
	}
	for i := range r.Episodes {
		for k := range r.Episodes[i].Turns {
			turn := &r.Episodes[i].Turns[k]
			turn.Times = quintain.Times{} // for spans alone
			turn.Observed = append(turn.Observed, quintain.Message{Role: "user", Name: "ann", Reasoning: "so", ToolCallID: "1", Content: "hi"})
		}
	}
	if back := roundTrip(t, r)[0]; !reflect.DeepEqual(back, r) {
		t.Errorf("came back as\n%s\nwant\n%s", inJSON(back), inJSON(r))
	}
}

// fill sets v to a value other than zero, and lists to two elements.
func fill(t *testing.T, v reflect.Value, path string) {
	switch v.Interface().(type) {
	case time.Time:
		v.Set(reflect.ValueOf(epoch))
		return
	case json.RawMessage:
		v.Set(reflect.ValueOf(json.RawMessage(`{"b": 1,  "a":"<"}`)))
		return
	case quintain.Record:
		v.Set(reflect.ValueOf(quintain.RawRecord([]byte(`[1, 2]`))))
		return
	case []quintain.Message:
		v.Set(reflect.ValueOf([]quintain.Message{{Role: "user", Content: path}}))
		return
	case *quintain.Call:
		v.Set(reflect.ValueOf(&quintain.Call{ID: "1", Parent: -1, Class: "root", Branch: path, Unused: "cut", Took: 7, Tools: []byte("[ ]")}))
		return
	case *float64:
		value := -float64(len(path)) / 8
		v.Set(reflect.ValueOf(&value))
		return
	case *int:
		value := len(path)
		v.Set(reflect.ValueOf(&value))
		return
	case *quintain.Match:
		v.Set(reflect.ValueOf(&quintain.Match{ID: path, Seat: 1, Players: []string{"policy", "random"}, Others: []quintain.Talk{{Seat: 0, Messages: []quintain.Message{{Role: quintain.RoleUser, Content: path}}}}}))
		return
	case map[string]float64:
		v.Set(reflect.ValueOf(map[string]float64{path: -0.5}))
		return
	case []quintain.ToolCall:
		v.Set(reflect.ValueOf([]quintain.ToolCall{{ID: "1", Name: "add", Arguments: "{}"}}))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(path)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(int64(len(path)))
	case reflect.Uint64:
		v.SetUint(math.MaxUint64)
	case reflect.Float32, reflect.Float64:
		v.SetFloat(-float64(len(path)) / 8)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range v.Len() {
			fill(t, v.Index(i), path+"[]")
		}
	case reflect.Struct:
		for i := range v.NumField() {
			fill(t, v.Field(i), path+"."+v.Type().Field(i).Name)
		}
	default:
		t.Fatalf("%s is a %s: say here how to fill it", path, v.Type())
	}
}

var (
	drawText  = rapid.OneOf(rapid.Just(""), rapid.String(), rapid.SampledFrom([]string{"\x00\x1f\"\\\n</>\u2028", "ü", "𝔘", "�"}))
	drawJSON  = rapid.SampledFrom([]string{`{}`, `{"a": [1,  2.50], "b":"\u00fc<"}`, `null`, `7`, `"x"`, "[\n]"})
	drawTime  = rapid.Custom(func(t *rapid.T) time.Time { return time.Unix(0, rapid.Int64().Draw(t, "ns")).UTC() })
	drawFloat = rapid.Float64().Filter(func(v float64) bool { return v-v == 0 })
)

// listOf draws nil, an empty list, or some elements.
func listOf[T any](t *rapid.T, of *rapid.Generator[T], most int) []T {
	n := rapid.IntRange(-1, most).Draw(t, "n")
	if n < 0 {
		return nil
	}
	return append([]T{}, rapid.SliceOfN(of, n, n).Draw(t, "list")...)
}

func drawRecord(t *rapid.T) *Record {
	r := &Record{
		Problem: quintain.Problem{
			Task: drawText.Draw(t, "task"), Scenario: drawText.Draw(t, "scenario"), Version: rapid.Int().Draw(t, "version"),
			Seed: rapid.Uint64().Draw(t, "seed"), Level: rapid.IntRange(-1, 9).Draw(t, "level"), Index: rapid.Int().Draw(t, "index"),
			Prompt: drawText.Draw(t, "prompt"),
		},
		Scores: listOf(t, drawFloat, 4), Sequences: listOf(t, rapid.Int32(), 4),
		Drop: drawText.Draw(t, "drop"), Version: rapid.Int().Draw(t, "policy"), Time: drawTime.Draw(t, "time"),
	}
	if rapid.Bool().Draw(t, "with parameters") {
		r.Problem.Params = []byte(drawJSON.Draw(t, "params"))
		r.Problem.Instance = quintain.RawRecord([]byte(drawJSON.Draw(t, "instance")))
	}
	if rapid.Bool().Draw(t, "of a seat") {
		r.Problem = r.Problem.At(rapid.IntRange(0, 2).Draw(t, "seat"))
	}
	r.Advantages = listOf(t, rapid.Custom(func(t *rapid.T) []float64 {
		few := rapid.SampledFrom([]float64{0, math.Copysign(0, -1), 0.1, -1e300, drawFloat.Draw(t, "value")})
		return listOf(t, few, 9)
	}), 4)
	opening := drawTurn(t)
	r.Episodes = listOf(t, rapid.Custom(func(t *rapid.T) quintain.Trajectory { return drawEpisode(t, r, opening) }), 4)
	for i := range r.Episodes {
		if r.Episodes[i].ID == "its own" {
			r.Episodes[i].ID = episodeID(r.Group(), i)
		}
	}
	return r
}

func drawEpisode(t *rapid.T, r *Record, opening quintain.Turn) quintain.Trajectory {
	e := quintain.Trajectory{
		ID: rapid.SampledFrom([]string{"its own", "", "#0", "other"}).Draw(t, "id"), Problem: r.Problem,
		Vocabulary: drawText.Draw(t, "vocabulary"), End: quintain.End(drawText.Draw(t, "end")),
		Outcome: rapid.SampledFrom(append(quintain.Outcomes, "", "unheard")).Draw(t, "outcome"), Error: drawText.Draw(t, "error"), Output: drawText.Draw(t, "output"), Replays: rapid.IntRange(0, 3).Draw(t, "replays"),
		Took: time.Duration(rapid.Int64().Draw(t, "took")),
	}
	if rapid.Bool().Draw(t, "of a match") {
		e.Match = &quintain.Match{ID: drawText.Draw(t, "match"), Seat: rapid.IntRange(0, 2).Draw(t, "seat"), Players: listOf(t, drawText, 2)}
		if rapid.Bool().Draw(t, "others") {
			e.Match.Others = []quintain.Talk{{Seat: 1, Messages: listOf(t, rapid.Custom(drawMessage), 2)}}
		}
	}
	if rapid.Bool().Draw(t, "started") {
		e.Started = drawTime.Draw(t, "at")
	}
	e.Turns = listOf(t, rapid.Custom(drawTurn), 3)
	for k := range e.Turns {
		if rapid.Bool().Draw(t, "in a tree") {
			e.Turns[k].Call = &quintain.Call{
				ID: drawText.Draw(t, "id"), Parent: rapid.IntRange(-1, k-1).Draw(t, "parent"), Class: drawText.Draw(t, "class"),
				Branch: drawText.Draw(t, "branch"), Unused: drawText.Draw(t, "unused"), Took: time.Duration(rapid.Int64().Draw(t, "took")),
			}
			if rapid.Bool().Draw(t, "tools") {
				e.Turns[k].Call.Tools = []byte(drawJSON.Draw(t, "tools"))
			}
		}
	}
	if rapid.Bool().Draw(t, "tools") {
		e.Tools = []byte(drawJSON.Draw(t, "tools"))
	}
	if len(e.Turns) > 0 && rapid.Bool().Draw(t, "shares the opening") {
		e.Turns[0].Observed, e.Turns[0].Read = opening.Observed, opening.Read
	}
	return e
}

func drawTurn(t *rapid.T) quintain.Turn {
	token := rapid.Custom(func(t *rapid.T) quintain.Token { return quintain.Token(rapid.Int32().Draw(t, "token")) })
	logProb := rapid.Float32Range(float32(math.Inf(-1)), float32(math.Inf(1)))
	return quintain.Turn{
		Observed: listOf(t, rapid.Custom(drawMessage), 3), Reply: drawText.Draw(t, "reply"), Reasoning: drawText.Draw(t, "reasoning"),
		ToolCalls: listOf(t, rapid.Custom(drawCall), 2), CallFault: drawText.Draw(t, "call fault"), Read: listOf(t, token, 6), Wrote: listOf(t, token, 6),
		LogProbs: listOf(t, logProb, 6), Versions: listOf(t, rapid.Int32Range(0, 2), 6), Finish: quintain.Finish(drawText.Draw(t, "finish")),
		Fork: rapid.Bool().Draw(t, "fork"), Realigned: rapid.Bool().Draw(t, "realigned"), Answer: drawText.Draw(t, "answer"), Reward: drawFloat.Draw(t, "reward"),
		Right: rapid.Bool().Draw(t, "right"), Malformed: rapid.Bool().Draw(t, "malformed"), Why: drawText.Draw(t, "why"),
	}
}

// drawMessage draws messages as from JSON.
func drawMessage(t *rapid.T) quintain.Message {
	m := quintain.Message{
		Role: drawText.Draw(t, "role"), Reasoning: drawText.Draw(t, "reasoning"), ToolCalls: listOf(t, rapid.Custom(drawCall), 2),
		ToolCallID: drawText.Draw(t, "call"), Name: drawText.Draw(t, "name"),
	}
	if rapid.Bool().Draw(t, "parts") {
		m.Parts = append([]quintain.Part{}, rapid.SliceOfN(rapid.SampledFrom([]quintain.Part{
			{Type: quintain.PartText, Text: "a \"part\""},
			{Type: "image_url", Raw: []byte(`{"type": "image_url",  "image_url":{"url":"data:<"}}`)},
		}), 0, 3).Draw(t, "parts")...)
	} else {
		m.Content = drawText.Draw(t, "content")
	}
	if rapid.Bool().Draw(t, "extra") {
		m.Extra = map[string]json.RawMessage{"weight": []byte(drawJSON.Draw(t, "extra")), "änd\"ers": []byte(`{"a": "<"}`)}
	}
	return m
}

func drawCall(t *rapid.T) quintain.ToolCall {
	return rapid.SampledFrom([]quintain.ToolCall{
		{ID: "1", Name: "add", Arguments: `{"a": 1}`},
		{ID: "2", Name: "sub", Arguments: "no JSON", Raw: []byte(`{"id":"2", "index":0,"type":"function","function":{"name":"sub","arguments":"no JSON"}}`)},
	}).Draw(t, "call")
}

func TestWhatARecordMayNotHold(t *testing.T) {
	turn := func(t quintain.Turn) []quintain.Trajectory { return []quintain.Trajectory{{Turns: []quintain.Turn{t}}} }
	for _, test := range []struct {
		why    string
		record Record
		want   string
	}{
		{"a reward is finite", Record{Time: epoch, Episodes: turn(quintain.Turn{Reward: math.NaN()})}, "a reward is NaN"},
		{"a score is finite", Record{Time: epoch, Scores: []float64{0, math.Inf(1)}}, "a score is +Inf"},
		{"an advantage is finite", Record{Time: epoch, Advantages: [][]float64{{math.Inf(-1)}}}, "an advantage is -Inf"},
		{"parameters are JSON", Record{Time: epoch, Problem: quintain.Problem{Params: []byte("{")}}, "problem.params is not JSON"},
		{"so is the instance", Record{Time: epoch, Problem: quintain.Problem{Instance: quintain.RawRecord([]byte("nul"))}}, "problem.instance is not JSON"},
		{"an instance can be written", Record{Time: epoch, Problem: quintain.Problem{Instance: quintain.NewRecord(math.NaN())}}, "problem.instance: record: json"},
		{"a part is JSON", Record{Time: epoch, Episodes: turn(quintain.Turn{Observed: []quintain.Message{{Parts: []quintain.Part{{Raw: []byte("{")}}}}})}, "a part of a message is not JSON"},
		{"so is a call", Record{Time: epoch, Episodes: turn(quintain.Turn{ToolCalls: []quintain.ToolCall{{Raw: []byte("{")}}})}, "a tool call is not JSON"},
		{"tools are JSON", Record{Time: epoch, Episodes: turn(quintain.Turn{Call: &quintain.Call{Parent: -1, Tools: []byte("[")}})}, "tools is not JSON"},
		{"a call continues an earlier one", Record{Time: epoch, Episodes: turn(quintain.Turn{Call: &quintain.Call{}})}, "the parent of turn 0 is 0"},
		{"a record has a time", Record{}, "time is 0001-01-01 00:00:00 +0000 UTC, want a year from 1678 to 2262"},
		{"a few tokens do not have a million versions", Record{Time: epoch, Episodes: turn(quintain.Turn{Versions: make([]int32, 1e6)})}, "has 1000000 versions and advantages"},
	} {
		var b block
		good := newSpecimen().small(0)
		if err := b.add(good); err != nil {
			t.Fatal(err)
		}
		before := b.size()
		err := b.add(&test.record)
		if err == nil || !strings.Contains(err.Error(), test.want) || !strings.HasPrefix(err.Error(), "group ") {
			t.Errorf("%s: %v, want %q", test.why, err, test.want)
		}
		if b.size() != before || b.index.count != 1 {
			t.Errorf("%s: something of the record stays in the block", test.why)
		}
		if err := b.add(good); err != nil {
			t.Errorf("%s: the next record: %v", test.why, err)
		}
	}
}

func TestIDsAreSplitAndJoined(t *testing.T) {
	for _, test := range []struct {
		id, prefix string
		number     int64
	}{
		{"", "", -1},
		{"a", "a", -1},
		{"7", "", 7},
		{"0", "", 0},
		{"a0", "a", 0},
		{"a007", "a00", 7},
		{"a00", "a0", 0},
		{"chain_sum.v1.s1.l0.12", "chain_sum.v1.s1.l0.", 12},
		{"a999999999999999999", "a", 999999999999999999},
		{"a1234567890123456789", "a1", 234567890123456789},
		{"a١", "a١", -1},
	} {
		prefix, number := splitID(test.id)
		if prefix != test.prefix || number != test.number || joinID(prefix, number) != test.id {
			t.Errorf("%q is %q and %d, want %q and %d", test.id, prefix, number, test.prefix, test.number)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		id := rapid.StringMatching(`[a0-9.]*`).Draw(t, "id")
		if back := joinID(splitID(id)); back != id {
			t.Fatalf("%q came back as %q", id, back)
		}
	})
}

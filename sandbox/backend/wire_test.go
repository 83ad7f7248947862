package backend_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/sandbox"
	"github.com/quintain-rl/quintain/sandbox/backend"
)

func TestEveryFieldOfAResultCrosses(t *testing.T) {
	want := sandbox.Result{
		End: sandbox.Exited, Code: 7, Why: "so", Over: true, Stdout: []byte("\xff"), Stderr: []byte("e"),
		CPU: 1, Wall: 2, Idle: 3, Peak: 4, Fetched: map[string][]byte{"a/b": []byte("x")},
	}
	fields := reflect.ValueOf(want)
	for i := range fields.NumField() {
		if fields.Field(i).IsZero() {
			t.Errorf("the test lacks %s", fields.Type().Field(i).Name)
		}
	}
	text, err := json.Marshal(backend.Answer{Result: backend.OfResult(want)})
	if err != nil {
		t.Fatal(err)
	}
	var answer backend.Answer
	if err := strictjson.Unmarshal(text, &answer); err != nil {
		t.Fatal(err)
	}
	if got, err := answer.Read(); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, error %v, want %+v", got, err, want)
	}
}

package scalars_test

import (
	"encoding/binary"
	"encoding/json"
	"hash/crc32"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/goleak"

	"github.com/quintain-rl/quintain/internal/jsonl"
	"github.com/quintain-rl/quintain/run/scalars"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// rows are two steps, with numbers that JSON does not have.
func rows() []scalars.Row {
	at := time.Unix(1_700_000_000, 250_000_000).UTC()
	return []scalars.Row{
		{Step: 3, Time: at, Values: map[string]float64{"train/score": 0.5, "learn/kl": math.NaN()}},
		{Step: 300, Time: at.Add(time.Second), Values: map[string]float64{"train/score": 0.75, "train/score/gcd:2": 1, "learn/kl": math.Inf(1)}},
	}
}

// fill adds the rows to a log.
func fill(t *testing.T, log scalars.Log) {
	t.Helper()
	for _, row := range rows() {
		if err := log.Add(row); err != nil {
			t.Fatal(err)
		}
	}
}

func TestLinesOutliveATornOne(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "metrics.jsonl")
	log := must(scalars.OpenLines(path, nil))(t)
	fill(t, log)
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	const want = `{"step":3,"time":1700000000.25,"values":{"train/score":0.5}}` + "\n" +
		`{"step":300,"time":1700000001.25,"values":{"train/score":0.75,"train/score/gcd:2":1}}` + "\n"
	if got := read(t, path); got != want {
		t.Errorf("the file is\n%swant\n%s", got, want)
	}
	if err := os.WriteFile(path, []byte(want+`{"step":301,"ti`), 0o644); err != nil {
		t.Fatal(err)
	}
	again := must(scalars.OpenLines(path, nil))(t)
	fill(t, again)
	if err := again.Close(); err != nil {
		t.Fatal(err)
	}
	if got := read(t, path); got != want+want {
		t.Errorf("after a torn line the file is\n%s", got)
	}
	if lines := must(jsonl.ReadLog[scalars.Line](path))(t); len(lines) != 4 || lines[3].Values["train/score"] != 0.75 {
		t.Errorf("read as %v", lines)
	}
}

// TestEventFile takes the file apart by the formats that it is written by.
func TestEventFile(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "new", "folder")
	for range 2 { // within one second, as a run that is started again
		log := must(scalars.OpenEvents(folder))(t)
		fill(t, log)
		if err := log.Close(); err != nil {
			t.Fatal(err)
		}
	}
	files := must(filepath.Glob(filepath.Join(folder, "events.out.tfevents.*")))(t)
	if len(files) != 2 {
		t.Fatalf("the files are %v, want two", files)
	}
	for _, path := range files {
		records := records(t, read(t, path))
		if len(records) != 3 || !strings.Contains(records[0], "brain.Event:2") {
			t.Fatalf("%s has %d records, the first is %q", path, len(records), records[0])
		}
		// wall_time 1, a double; step 2, 300; summary 5 with two values: tag 1, simple_value 2
		want := "\x09" + double(1_700_000_001.25) + "\x10\xac\x02" + "\x2a\x2e" +
			"\x0a\x12" + "\x0a\x0btrain/score" + "\x15" + single(0.75) +
			"\x0a\x18" + "\x0a\x11train/score/gcd:2" + "\x15" + single(1)
		if records[2] != want {
			t.Errorf("the last event is\n%q, want\n%q", records[2], want)
		}
	}
}

func double(x float64) string {
	return string(binary.LittleEndian.AppendUint64(nil, math.Float64bits(x)))
}
func single(x float32) string {
	return string(binary.LittleEndian.AppendUint32(nil, math.Float32bits(x)))
}

// records returns the data of the records of a TFRecord file, and checks their checksums.
func records(t *testing.T, file string) (all []string) {
	t.Helper()
	table := crc32.MakeTable(crc32.Castagnoli)
	check := func(data, sum string) {
		c := crc32.Checksum([]byte(data), table)
		if want := (c>>15 | c<<17) + 0xa282ead8; binary.LittleEndian.Uint32([]byte(sum)) != want {
			t.Fatalf("the checksum of %q is wrong", data)
		}
	}
	for len(file) > 0 {
		n := int(binary.LittleEndian.Uint64([]byte(file)))
		check(file[:8], file[8:12])
		check(file[12:12+n], file[12+n:16+n])
		all, file = append(all, file[12:12+n]), file[16+n:]
	}
	return all
}

func TestGaugesShowTheLastNumbers(t *testing.T) {
	t.Parallel()
	g := scalars.NewGauges()
	fill(t, g)
	registry := prometheus.NewRegistry()
	registry.MustRegister(g)
	got := map[string]float64{}
	for _, family := range must(registry.Gather())(t) {
		got[family.GetName()] = family.GetMetric()[0].GetGauge().GetValue()
	}
	if want := map[string]float64{"quintain_train_score": 0.75, "quintain_train_score_gcd_2": 1}; !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestSettingsSayWhatIsWrong(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		why  string
		set  func(*scalars.Settings)
		want string
	}{
		{"an address without a scheme", func(s *scalars.Settings) { s.MLflow = "localhost:5000" }, `mlflow: is "localhost:5000", want one with http://`},
		{"a database", func(s *scalars.Settings) { s.MLflow = "sqlite:///mlflow.db" }, "mlflow: is"},
		{"an address", func(s *scalars.Settings) { s.MLflow = "https://user:word@host/" }, ""},
	} {
		s := scalars.Default()
		test.set(&s)
		err := s.Check()
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.HasPrefix(err.Error(), test.want)) {
			t.Errorf("%s: the error is %v, want %q", test.why, err, test.want)
		}
	}
	folder := t.TempDir()
	inTheWay := filepath.Join(folder, "file")
	if err := os.WriteFile(inTheWay, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	s := scalars.Settings{TensorBoard: inTheWay}
	if _, _, err := s.Open("", "run", nil); err == nil || !strings.HasPrefix(err.Error(), "metrics.tensorboard: ") {
		t.Errorf("a folder that is a file: %v", err)
	}
	s = scalars.Settings{MLflow: "http://127.0.0.1:1", TokenFile: filepath.Join(folder, "none")}
	if _, _, err := s.Open("", "run", nil); err == nil || !strings.HasPrefix(err.Error(), "metrics.mlflow_token_file: ") {
		t.Errorf("a token that is not there: %v", err)
	}
}

// must returns a value whose error is fatal to a test.
func must[T any](value T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	return string(must(os.ReadFile(path))(t))
}

// keys are the keys of the numbers in a request of MLflow.
func keys(t *testing.T, body []byte) (all []string) {
	t.Helper()
	var request struct{ Metrics []struct{ Key string } }
	if err := json.Unmarshal(body, &request); err != nil {
		t.Error(err)
	}
	for _, m := range request.Metrics {
		all = append(all, m.Key)
	}
	slices.Sort(all)
	return all
}

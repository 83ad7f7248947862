package pool

import (
	"os"
	"testing"
	"time"
)

func TestLoadsAreRead(t *testing.T) {
	t.Parallel()
	now := time.Unix(9, 0)
	for _, test := range []struct {
		why, page string
		load      Load
		preempted int
		known     bool
	}{
		{"vLLM, with two engines", `# HELP vllm:num_requests_running Number of requests in model execution batches.
vllm:num_requests_running{engine="0",model_name="m"} 5.0
vllm:num_requests_running{engine="1",model_name="m"} 7.0
vllm:num_requests_waiting{engine="0",model_name="m"} 2.0
vllm:kv_cache_usage_perc{engine="0",model_name="m"} 0.25
vllm:kv_cache_usage_perc{engine="1",model_name="a \"} b"} 0.75
vllm:num_preemptions_total{engine="0",model_name="m"} 3.0
vllm:num_preemptions_created{engine="0",model_name="m"} 1.7e+09
`, Load{Use: 0.75, Running: 12, Waiting: 2}, 3, true},
		{"SGLang", "sglang:token_usage 0.5 1700000000\nsglang:num_running_reqs{a=\"b\"} 4\nsglang:num_queue_reqs 1\nsglang:num_retracted_requests_total 2\nsglang:num_retracted_reqs 9\n",
			Load{Use: 0.5, Running: 4, Waiting: 1}, 2, true},
		{"no use", "vllm:num_requests_running 5\n", Load{Running: 5}, 0, false},
		{"values that are none", "vllm:kv_cache_usage_perc NaN\nvllm:num_requests_running -1\nvllm:num_requests_waiting +Inf\nsglang:token_usage\nsglang:token_usage{\n{ 1\n", Load{}, 0, false},
		{"more than all", "vllm:kv_cache_usage_perc 1.5\nvllm:num_requests_running 1e300\n", Load{Use: 1, Running: 1 << 30}, 0, true},
		{"nothing", "", Load{}, 0, false},
	} {
		load, preempted, known := readLoad([]byte(test.page), now)
		test.load.At = now
		if load != test.load || preempted != test.preempted || known != test.known {
			t.Errorf("%s: %+v, %d, %v; want %+v, %d, %v", test.why, load, preempted, known, test.load, test.preempted, test.known)
		}
	}
}

func FuzzLoad(f *testing.F) {
	f.Add([]byte("vllm:kv_cache_usage_perc{engine=\"0\"} 0.25\nsglang:num_queue_reqs 1e9\n"))
	f.Add([]byte("sglang:token_usage} { 1\n# x\n\x00"))
	f.Fuzz(func(t *testing.T, page []byte) {
		load, preempted, _ := readLoad(page, time.Unix(0, 0))
		if !(load.Use >= 0 && load.Use <= 1) || load.Running < 0 || load.Waiting < 0 || preempted < 0 {
			t.Errorf("load %+v, %d preempted", load, preempted)
		}
	})
}

func TestFilesOfAddresses(t *testing.T) {
	t.Parallel()
	path := t.TempDir() + "/urls"
	if err := os.WriteFile(path, []byte("# the first rack\nhttp://a:8000\n\n  http://b:8000/v1  \r\nhttp://a:8000"), 0o600); err != nil {
		t.Fatal(err)
	}
	urls, err := readURLs(path)
	if err != nil || len(urls) != 3 || urls[1] != "http://b:8000/v1" {
		t.Errorf("addresses %q, error %v", urls, err)
	}
	if err := os.WriteFile(path, make([]byte, maxFile+1), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := readURLs(path); err == nil {
		t.Error("a file of more than a MiB is read")
	}
}

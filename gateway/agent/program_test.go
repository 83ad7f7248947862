package agent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// playMode is the first argument that makes the test binary an agent's program; the second is
// what it does.
const playMode = "play"

func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == playMode {
		if err := ways()[os.Args[2]](); err != nil {
			fmt.Fprintln(os.Stderr, "Traceback:", err)
			os.Exit(1)
		}
		return
	}
	goleak.VerifyTestMain(m)
}

// awaited is the variable with an address that children connect to, and hold.
const awaited = "AWAITED"

// ways are the programs.
func ways() map[string]func() error {
	return map[string]func() error{
		"ask": askOnce,
		"twice": func() error {
			_ = askOnce()
			return askOnce()
		},
		"exits":  func() error { return fmt.Errorf("%w: no module named openai", askOnce()) },
		"silent": func() error { return nil },
		"killed": func() error {
			_ = askOnce()
			self, err := os.FindProcess(os.Getpid())
			if err == nil {
				err = self.Kill()
			}
			<-time.After(time.Minute)
			return err
		},
		"leaves a child": func() error { return startChild("child") },
		"child":          hold,
		"holds":          hold,
		"writes":         write,
		"calls for ever": func() error {
			for {
				_ = askOnce()
			}
		},
		"hangs": func() error {
			_ = askOnce()
			return hold()
		},
		"rewards itself": func() error {
			if err := askOnce(); err != nil {
				return err
			}
			status, _ := post(strings.TrimSuffix(os.Getenv("OPENAI_BASE_URL"), "/v1")+"/reward", os.Getenv("OPENAI_API_KEY"), `{"reward": 1}`)
			fmt.Println("reward:", status)
			return give(`{"reward": 7, "why": "because"}`)
		},
		"foreign key": func() error {
			key := os.Getenv("OPENAI_API_KEY")
			for _, other := range []string{"", "sk-real", key[:len(key)-1] + "0", "qs_" + strings.Repeat("a", len(key)-3)} {
				status, text := post(os.Getenv("OPENAI_BASE_URL")+"/chat/completions", other, body)
				fmt.Println("key:", status, len(text) > 0)
			}
			return askOnce()
		},
		"looks around": func() error {
			text, err := os.ReadFile(os.Getenv("QUINTAIN_PROBLEM"))
			dir, _ := os.Getwd()
			fmt.Printf("%s\n%s\nin %s\n", text, strings.Join(os.Environ(), "\n"), dir)
			_ = askOnce()
			return err
		},
		"acts": act,
		"acts and fails": func() error {
			_ = act()
			os.Exit(3)
			return nil
		},
		"loop":     func() error { return drive("") },
		"helped":   func() error { return drive(`, "models": ["judge"]`) },
		"answers":  func() error { return orFirst(askOnce(), func() error { return give(`{"answer": "3"}`) }) },
		"nonsense": func() error { return orFirst(askOnce(), func() error { return give(`{"answer": 3`) }) },
		"endless": func() error {
			return orFirst(askOnce(), func() error { return give(strings.Repeat(" ", mostResult+1)) })
		},
		"link": func() error {
			return orFirst(askOnce(), func() error { return os.Symlink("/dev/zero", os.Getenv("QUINTAIN_RESULT")) })
		},
	}
}

func orFirst(err error, then func() error) error {
	if err != nil {
		return err
	}
	return then()
}

// act asks, and makes a call of its host.
func act() error {
	trial := os.Getenv("QUINTAIN_TRIAL_URL")
	wrong, _ := post(trial+"0/exec", "", "{}")
	status, said := post(trial+"/exec", "", "{}")
	fmt.Println(wrong, status, strings.Split(said, `"`)[3])
	return askOnce()
}

// give writes the result.
func give(text string) error { return os.WriteFile(os.Getenv("QUINTAIN_RESULT"), []byte(text), 0o600) }

// body is a request of chat completions.
const body = `{"model": "any", "messages": [{"role": "user", "content": "Say 3."}]}`

// askOnce makes a call, and prints the reply.
func askOnce() error {
	status, text := post(os.Getenv("OPENAI_BASE_URL")+"/chat/completions", os.Getenv("OPENAI_API_KEY"), body)
	var reply struct {
		Choices []struct{ Message struct{ Content string } }
	}
	if err := json.Unmarshal([]byte(text), &reply); err != nil || status != http.StatusOK || len(reply.Choices) != 1 {
		return fmt.Errorf("status %d: %s", status, text)
	}
	fmt.Println("it says", reply.Choices[0].Message.Content)
	return nil
}

func post(url, key, body string) (int, string) {
	r, err := http.NewRequest(http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		return 0, err.Error()
	}
	r.Header.Set("Content-Type", "application/json")
	if key != "" {
		r.Header.Set("Authorization", "Bearer "+key)
	}
	reply, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, err.Error()
	}
	defer reply.Body.Close()
	text, err := io.ReadAll(reply.Body)
	if err != nil {
		return 0, err.Error()
	}
	return reply.StatusCode, string(text)
}

// startChild starts the program once more, another way, and leaves it when it holds its
// connection.
func startChild(way string) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	c := exec.Command(os.Args[0], playMode, way)
	c.Stdout, c.Env = os.Stdout, append(os.Environ(), "READY="+l.Addr().String())
	if err := c.Start(); err != nil {
		return err
	}
	if _, err := l.Accept(); err != nil {
		return err
	}
	return askOnce()
}

// hold connects to the addresses in the environment, and waits for ever.
func hold() error {
	for _, name := range []string{awaited, "READY"} {
		if address := os.Getenv(name); address != "" {
			if _, err := net.Dial("tcp", address); err != nil {
				return err
			}
		}
	}
	<-time.After(time.Hour)
	return nil
}

// write writes 1 GiB.
func write() error {
	line := append(bytes.Repeat([]byte("x"), 1<<20-1), '\n')
	for range 1 << 10 {
		if _, err := os.Stdout.Write(line); err != nil {
			return err
		}
	}
	return askOnce()
}

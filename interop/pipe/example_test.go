package pipe_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/interop/pipe"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/tasks/numbers"
	"github.com/quintain-rl/quintain/text/chattemplate"
)

// A problem goes out as an entry of reasoning-gym and comes back with an answer.
func Example() {
	tasks, err := task.NewSet(numbers.Tasks())
	if err != nil {
		fmt.Println(err)
		return
	}
	gcd, err := tasks.Get("gcd")
	if err != nil {
		fmt.Println(err)
		return
	}
	form, err := pipe.FormatOf("reasoning-gym")
	if err != nil {
		fmt.Println(err)
		return
	}
	var entry strings.Builder
	if _, err := (pipe.Export{Task: gcd, First: quintain.Draw{Seed: 1}, Count: 1, Format: form}).Write(context.Background(), &entry); err != nil {
		fmt.Println(err)
		return
	}
	line := fmt.Sprintf(`{"entry": %s, "answer": "0"}`, strings.TrimSpace(entry.String()))
	if err := (pipe.Grader{Tasks: tasks, Format: form}).Grade(context.Background(), strings.NewReader(line), os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output: {"score":0,"malformed":false,"reason":"want \"2\""}
}

// A conversation goes in, and the model's prompt comes out.
func ExampleRender() {
	config, err := chattemplate.ParseConfig([]byte(`{"chat_template": "{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}"}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	chat, err := config.Chat("")
	if err != nil {
		fmt.Println(err)
		return
	}
	in := strings.NewReader(`{"messages": [{"role": "user", "content": "Hello"}]}`)
	if err := pipe.Render(context.Background(), chat, time.Now, in, os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// {"text":"<user>Hello"}
}

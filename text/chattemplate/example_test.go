package chattemplate_test

import (
	"fmt"
	"time"

	"github.com/quintain-rl/quintain/text/chattemplate"
)

// A conversation in the format of a model.
func Example() {
	config, err := chattemplate.ParseConfig([]byte(`{
		"eos_token": {"content": "</s>"},
		"chat_template": "{% for m in messages %}[{{ m.role }}] {{ m.content }}{{ eos_token }}\n{% endfor %}{% if add_generation_prompt %}[assistant] {% endif %}"
	}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	chat, err := config.Chat("")
	if err != nil {
		fmt.Println(err)
		return
	}
	vars, err := chattemplate.ParseVars([]byte(`{"messages": [{"role": "user", "content": "2 + 3?"}], "add_generation_prompt": true}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := chat.Render(vars, chattemplate.Options{Now: time.Now()})
	fmt.Printf("%q %v\n", r.Text, err)
	// Output: "[user] 2 + 3?</s>\n[assistant] " <nil>
}

// If the template marks what the assistant wrote, the spans tell it from the rest.
func ExampleTemplate_Render() {
	template, err := chattemplate.Compile("user: {{ ask }}\n{% generation %}{{ reply }}{% endgeneration %}\n")
	if err != nil {
		fmt.Println(err)
		return
	}
	var vars chattemplate.Vars
	for name, text := range map[string]string{"ask": "2 + 3?", "reply": "5"} {
		if err := vars.Set(name, text); err != nil {
			fmt.Println(err)
		}
	}
	r, err := template.Render(vars, chattemplate.Options{})
	for _, s := range r.Generated {
		fmt.Printf("%q", r.Text[s.Start:s.End])
	}
	fmt.Println(err)
	// Output: "5"<nil>
}

package policytest

// Hermes is a chat template in the form of package policy that writes tool calls as those of Qwen do.
const Hermes = `{% if tools %}<|tools|>{{ tools | tojson }}<tool_call>` + "\x03" + `{% endif %}{% for m in messages %}{{ '<|' + m.role + '|>' }}{{ m.content or '' }}` +
	`{% for c in m.tool_calls or [] %}{{ '\n<tool_call>\n{"name": "' + c.function.name + '", "arguments": ' + c.function.arguments | tojson + '}\n</tool_call>' }}{% endfor %}` +
	"\x03{% endfor %}{% if add_generation_prompt %}<|assistant|>{% endif %}"

package instructions

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A schemaWriter writes a schema as JSON.
type schemaWriter struct {
	b     []byte
	depth int
}

// text writes a schema as JSON, an object with properties on several lines.
func (s *schema) text() string {
	w := &schemaWriter{}
	w.schema(s)
	return string(w.b)
}

// schema appends a schema.
func (w *schemaWriter) schema(s *schema) {
	large := len(s.parts()) > 0
	w.b = append(w.b, '{')
	w.depth++
	first := true
	key := func(name string) {
		if !first {
			w.b = append(w.b, ',')
		}
		switch {
		case large:
			w.newline()
		case !first:
			w.b = append(w.b, ' ')
		}
		first = false
		w.b = append(strconv.AppendQuote(w.b, name), ": "...)
	}
	w.scalars(s, key)
	w.composites(s, key)
	w.depth--
	if large && !first {
		w.newline()
	}
	w.b = append(w.b, '}')
}

// newline begins a line.
func (w *schemaWriter) newline() {
	w.b = append(append(w.b, '\n'), strings.Repeat("  ", w.depth)...)
}

// scalars appends the keywords that have no schema.
func (w *schemaWriter) scalars(s *schema, key func(string)) {
	put := func(name, text string, is bool) {
		if is {
			key(name)
			w.b = append(w.b, text...)
		}
	}
	bound := func(n *int) string {
		if n == nil {
			return ""
		}
		return strconv.Itoa(*n)
	}
	put("type", strconv.Quote(s.Type), s.Type != "")
	put("description", quoteJSON(s.Description), s.Description != "")
	put("enum", listJSON(s.Enum), len(s.Enum) > 0)
	put("const", string(s.Const), s.Const != nil)
	put("default", string(s.Default), s.Default != nil)
	put("minimum", bound(s.Minimum), s.Minimum != nil)
	put("maximum", bound(s.Maximum), s.Maximum != nil)
	put("multipleOf", strconv.Itoa(s.MultipleOf), s.MultipleOf > 0)
	put("minLength", strconv.Itoa(s.MinLength), s.MinLength > 0)
	put("maxLength", strconv.Itoa(s.MaxLength), s.MaxLength > 0)
	put("pattern", quoteJSON(s.Pattern), s.Pattern != "")
	put("minItems", strconv.Itoa(s.MinItems), s.MinItems > 0)
	put("maxItems", strconv.Itoa(s.MaxItems), s.MaxItems > 0)
	put("uniqueItems", "true", s.UniqueItems)
}

// composites appends the keywords of objects, and those that have schemas.
func (w *schemaWriter) composites(s *schema, key func(string)) {
	if s.Items != nil {
		key("items")
		w.schema(s.Items)
	}
	if len(s.Properties) > 0 {
		key("properties")
		w.properties(s.Properties)
	}
	if len(s.Required) > 0 {
		key("required")
		w.b = append(w.b, names(s.Required)...)
	}
	if len(s.Dependent) > 0 {
		key("dependentRequired")
		var parts []string
		for _, d := range s.Dependent {
			parts = append(parts, quoteJSON(d.Name)+": "+names(d.Wants))
		}
		w.b = append(append(append(w.b, '{'), strings.Join(parts, ", ")...), '}')
	}
	if s.Closed {
		key("additionalProperties")
		w.b = append(w.b, "false"...)
	}
	for _, group := range []struct {
		name string
		list []schema
	}{{"anyOf", s.AnyOf}, {"oneOf", s.OneOf}} {
		if len(group.list) == 0 {
			continue
		}
		key(group.name)
		w.b = append(w.b, '[')
		for i := range group.list {
			if i > 0 {
				w.b = append(w.b, ", "...)
			}
			w.schema(&group.list[i])
		}
		w.b = append(w.b, ']')
	}
	if s.Not != nil {
		key("not")
		w.schema(s.Not)
	}
}

// properties appends the members of an object, one a line.
func (w *schemaWriter) properties(list []property) {
	w.b = append(w.b, '{')
	w.depth++
	for i := range list {
		if i > 0 {
			w.b = append(w.b, ',')
		}
		w.newline()
		w.b = append(append(w.b, quoteJSON(list[i].Name)...), ": "...)
		w.schema(&list[i].Schema)
	}
	w.depth--
	w.newline()
	w.b = append(w.b, '}')
}

// names writes a list of strings as JSON.
func names(list []string) string {
	parts := make([]string, len(list))
	for i, name := range list {
		parts[i] = quoteJSON(name)
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// listJSON writes a list of values as JSON.
func listJSON(list []json.RawMessage) string {
	parts := make([]string, len(list))
	for i, value := range list {
		parts[i] = string(value)
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// canonical returns s with everything sorted that has no order, and with members named by their
// places: another name changes no value but its spelling.
func (s *schema) canonical() schema {
	c := *s
	renamed := map[string]string{}
	c.Properties = s.ranked()
	for i, p := range c.Properties {
		renamed[p.Name] = "m" + strconv.Itoa(i)
		c.Properties[i].Name = renamed[p.Name]
	}
	rename := func(names []string) (list []string) {
		for _, name := range names {
			list = append(list, cmp.Or(renamed[name], name))
		}
		slices.Sort(list)
		return list
	}
	c.Required, c.Dependent = rename(s.Required), nil
	for _, d := range s.Dependent {
		c.Dependent = append(c.Dependent, dependency{cmp.Or(renamed[d.Name], d.Name), rename(d.Wants)})
	}
	slices.SortFunc(c.Dependent, func(a, b dependency) int { return strings.Compare(a.Name, b.Name) })
	c.Enum = slices.SortedFunc(slices.Values(s.Enum), func(a, b json.RawMessage) int { return strings.Compare(string(a), string(b)) })
	c.AnyOf, c.OneOf = canonicalGroup(s.AnyOf), canonicalGroup(s.OneOf)
	if s.Items != nil {
		items := s.Items.canonical()
		c.Items = &items
	}
	if s.Not != nil {
		not := s.Not.canonical()
		c.Not = &not
	}
	return c
}

// ranked returns the members, with canonical schemas, in an order that depends on all but their names:
// whether they are required, what they depend on, and their schemas.
func (s *schema) ranked() []property {
	members := make([]property, len(s.Properties))
	for i, p := range s.Properties {
		members[i] = property{p.Name, p.Schema.canonical()}
	}
	return sortedBy(members, func(p property) string {
		roles := []bool{slices.Contains(s.Required, p.Name)}
		for _, d := range s.Dependent {
			roles = append(roles, d.Name == p.Name, slices.Contains(d.Wants, p.Name))
		}
		return fmt.Sprint(roles, p.Schema.text())
	})
}

// canonicalGroup sorts schemas by their texts.
func canonicalGroup(list []schema) (sorted []schema) {
	for i := range list {
		sorted = append(sorted, list[i].canonical())
	}
	return sortedBy(sorted, func(s schema) string { return s.text() })
}

// sortedBy sorts a list by a text of each element, which it asks for once.
func sortedBy[T any](list []T, text func(T) string) []T {
	type pair struct {
		of   T
		text string
	}
	pairs := make([]pair, len(list))
	for i, of := range list {
		pairs[i] = pair{of, text(of)}
	}
	slices.SortFunc(pairs, func(a, b pair) int { return strings.Compare(a.text, b.text) })
	for i := range pairs {
		list[i] = pairs[i].of
	}
	return list
}

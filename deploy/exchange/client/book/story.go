package book

import (
	_ "embed"
	"strings"
	"sync"

	"github.com/goccy/go-yaml"
)

//go:embed book.yaml
var text string

// content is what book.yaml has.
type content struct {
	Names      map[string][]any
	Examples   []string
	References map[string][]string
	Lines      []line
	Parts      map[string]any
	Stories    map[string][]step
	Sharing    []Sharing
}

// line is a line of insurance, and how its policies are made.
type line struct {
	Resource, Perils string
	Company          bool
	Insures          []step
	Members, Amend   yaml.MapSlice
}

// step is a step of a story.
type step struct {
	When                                     string
	Let                                      yaml.MapSlice
	Do, Create, Post, Put, Make, Replace, As string
	Makes, Count, Tell                       string
	Body                                     any
}

var read = sync.OnceValue(func() (c content) {
	if err := yaml.NewDecoder(strings.NewReader(text), yaml.Strict(), yaml.UseOrderedMap()).Decode(&c); err != nil {
		panic("book: " + err.Error())
	}
	return c
})

// tell tells a story.
func (c *chain) tell(story string) { c.take(read().Stories[story]) }

// take takes steps until one fails.
func (c *chain) take(steps []step) {
	for _, s := range steps {
		if c.err != nil {
			return
		}
		if s.When == "" || c.is(s.When) {
			c.set(s.Let)
			c.one(s)
		}
	}
}

// one takes a step whose variables are set.
func (c *chain) one(s step) {
	var record Record
	switch {
	case s.Do != "":
		if steps, is := c.value(s.Do).([]step); is {
			c.take(steps)
		} else {
			c.tell(c.text(s.Do))
		}
	case s.Create != "":
		resource := c.text(s.Create)
		record = c.request(resource, "/"+resource, c.record(s.Body))
	case s.Post != "":
		record = c.request(c.text(s.Makes), c.text(s.Post), c.record(s.Body))
	case s.Put != "":
		record = c.carryOut("", c.text(s.Put), "", c.record(s.Body))
	case s.Make != "":
		c.make(s.Makes, c.text(s.Make), c.record(s.Body))
	case s.Replace != "":
		path := c.text(s.Replace)
		if now := c.find(path); now != nil {
			c.replace(path, now, c.record(s.Body))
		}
	case s.Count != "":
		amount, _ := c.value(s.Count).(int)
		policy, _ := c.vars["policy"].(Record)
		paid, _ := c.vars["paid"].(Record)
		c.received(policy, paid.Text("receiptType"), amount)
	case s.Tell != "":
		c.told = append(c.told, c.text(s.Tell))
	}
	if s.As != "" {
		c.vars[s.As] = record
	}
}

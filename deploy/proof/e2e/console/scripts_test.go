package console

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"insurance.example/exchange/contracts/openapi"
	"insurance.example/exchange/deploy/proof/e2e/trial"
)

// scripts are texts that a page that takes them for markup, an address, a style or an expression would run. The first
// of each group is one that is dangerous at the beginning of an address; the fields of records hold a group each.
var scripts = [][]string{
	{
		`javascript:window.ran=1`, `<script>window.ran=1</script>`, `<img src=x onerror=window.ran=1>`,
		`<svg onload=window.ran=1>`, `"><script>window.ran=1</script>`, `'><img src=x onerror=window.ran=1>`,
	},
	{
		`JaVaScRiPt:window.ran=1//`, `<SCRIPT SRC=data:,window.ran=1></SCRIPT>`,
		`<iframe srcdoc="<script>parent.ran=1</script>">`,
		`<iframe src="javascript:parent.ran=1">`, `<body onload=window.ran=1>`, `</title><script>window.ran=1</script>`,
	},
	{
		`javascript&colon;window.ran=1`, `</textarea><script>window.ran=1</script>`, `</style><script>window.ran=1</script>`,
		`</script><script>window.ran=1</script>`, `--><script>window.ran=1</script>`, `]]><script>window.ran=1</script>`,
	},
	{
		`data:text/html,<script>opener.ran=1</script>`, `<details open ontoggle=window.ran=1>`,
		`<input autofocus onfocus=window.ran=1>`, `<video><source onerror=window.ran=1>`,
		`<audio src=x onerror=window.ran=1>`, `<marquee onstart=window.ran=1>`,
	},
	{
		`vbscript:window.ran=1`, `<math><mi xlink:href="javascript:window.ran=1">x</mi></math>`,
		`<svg><a xlink:href="javascript:window.ran=1"><text>x</text></a></svg>`,
		`<svg><animate onbegin=window.ran=1 attributeName=x dur=1s>`, `<svg><script>window.ran=1</script></svg>`,
		`<svg><foreignObject><body onload=window.ran=1></foreignObject></svg>`,
	},
	{
		`https://files.example/"onmouseover="window.ran=1`, `<a href="javascript:window.ran=1">x</a>`,
		`<form action="javascript:window.ran=1"><button>x</button></form>`, `<button formaction=javascript:window.ran=1>x`,
		`<object data="javascript:window.ran=1">`, `<embed src="javascript:window.ran=1">`,
	},
	{
		`//evil.example/x.js`, `<base href="//evil.example/">`, `<link rel=stylesheet href="//evil.example/x.css">`,
		`<meta http-equiv=refresh content="0;url=javascript:window.ran=1">`,
		`<style>*{background:url(//evil.example)}</style>`,
		`<p style="background:url(javascript:window.ran=1)">`,
	},
	{
		`https://user:word@evil.example/<script>window.ran=1</script>`,
		`<noscript><p title="</noscript><img src=x onerror=window.ran=1>">`,
		`<template><script>window.ran=1</script></template>`, `<select><option><img src=x onerror=window.ran=1></select>`,
		`<table><caption><img src=x onerror=window.ran=1></table>`, `<xmp><script>window.ran=1</script>`,
	},
	{
		`#/find?q=<script>window.ran=1</script>`, `${window.ran=1}`, `{{constructor.constructor('window.ran=1')()}}`,
		"`${window.ran=1}`", `<%= window.ran=1 %>`, `#{window.ran=1}`,
	},
	{
		`../../console/sign-in`, `&lt;script&gt;window.ran=1&lt;/script&gt;`,
		`\u003cscript\u003ewindow.ran=1\u003c/script\u003e`,
		`%3Cscript%3Ewindow.ran=1%3C/script%3E`, `<ſcript>window.ran=1</ſcript>`, `＜script＞window.ran=1＜/script＞`,
	},
	{
		`__proto__`, `constructor`, `toString`, `$&$1$<x>`, `{0}{1}`, `'-window.ran=1-'`, `\';window.ran=1//`,
		`=cmd|'/c calc'!A1`,
	},
}

// harm returns what has become more than text in a page: code that ran, elements and attributes that only markup in a
// text can have made, and addresses that run something.
const harm = `(() => {
	const own = /^(https?:\/\/|\/|#\/|#content)/;
	const found = [...document.body.querySelectorAll('*')].filter((e) =>
		/^(script|iframe|frame|img|image|object|embed|link|meta|base|style|audio|video|source|math|marquee)$/i
			.test(e.tagName) || /^(foreignObject|animate|a|text)$/.test(e.tagName) && e instanceof SVGElement
			&& !e.matches('[data-part=bars] a[data-bar], [data-part=bars] a[data-bar] > text, ' +
				'[data-part=chart] figure > svg > text, [data-part=months] figure > svg > :is(text, a[data-bar])')
		|| [...e.attributes].some((a) => /^(on|style$|srcdoc$|formaction$|xlink)/i.test(a.name))
		|| e.hasAttribute('href') && !own.test(e.getAttribute('href')));
	return (window.ran === undefined ? [] : ['a script ran']).concat(found.map((e) => e.outerHTML));
})()`

// harmless checks what the tab shows.
func (p *tab) harmless(where string) {
	p.Helper()
	var found []string
	p.eval(harm, &found)
	if len(found) > 0 {
		p.Errorf("%s: more than text:\n%s", where, strings.Join(found, "\n"))
	}
}

// shows waits until the tab shows texts as they are, and checks that they are nothing but text.
func (p *tab) shows(where string, texts ...string) {
	p.Helper()
	for _, text := range texts {
		p.becomes("document.querySelector('main').textContent.includes(" + quoted(text) + ")")
	}
	p.harmless(where)
}

// checked are texts of which the exchange takes only some values: those that name a record, and some more.
var checked = map[string]bool{
	"policyNumber": true, "claimNumber": true, "lossCause": true, "period": true, "latitude": true, "longitude": true,
	"externalReference": true, "replaces": true,
}

// withScripts returns a copy of a value in which each text that a schema leaves free is a group of scripts; turn is the
// group of the first one. It adds the scripts to those added.
func withScripts(schema *openapi3.Schema, value any, turn *int, added *[]string) any {
	if len(schema.AnyOf) > 0 {
		schema = schema.AnyOf[0].Value
	}
	switch {
	case schema.Type.Includes(openapi3.TypeObject):
		given, _ := value.(map[string]any)
		made := map[string]any{}
		for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
			property := schema.Properties[name].Value
			switch {
			case checked[name]:
				if given[name] != nil {
					made[name] = given[name]
				}
				continue
			case strings.HasPrefix(property.Description, "Another name of"):
				continue
			}
			if one := withScripts(property, given[name], turn, added); one != nil && !property.ReadOnly {
				made[name] = one
			}
		}
		if len(made) == 0 {
			return nil
		}
		return made
	case schema.Type.Includes(openapi3.TypeArray):
		if free(schema.Items.Value) {
			list := []any{}
			for _, one := range strings.Split(next(turn, added), between) {
				list = append(list, one)
			}
			return list
		}
		return value
	case free(schema):
		return next(turn, added)
	}
	return value
}

// free reports whether a schema lets a text be any.
func free(schema *openapi3.Schema) bool {
	if len(schema.AnyOf) > 0 {
		schema = schema.AnyOf[0].Value
	}
	_, names := schema.Extensions["x-go-type"] // a record
	return schema.Type.Includes(openapi3.TypeString) && len(schema.Enum) == 0 && schema.Format == "" && !names
}

// between stands between the texts of a group.
const between = " ¦ "

// next returns the texts of the group whose turn it is.
func next(turn *int, added *[]string) string {
	group := scripts[*turn%len(scripts)]
	*turn++
	*added = append(*added, group...)
	return strings.Join(group, between)
}

// TestStoredScripts stores scripts in every text of every resource, so that each text holds each script once, changes
// some of them, and looks at every screen: each script is shown as the text it is.
func TestStoredScripts(t *testing.T) {
	t.Parallel()
	if n := len(slices.Concat(scripts...)); n < 60 {
		t.Fatalf("there are %d scripts", n)
	}
	e := run(t)
	if err := seed(e); err != nil {
		t.Fatal(err)
	}
	c := client(t, e)
	document, err := openapi3.NewLoader().LoadFromData(openapi.Published())
	if err != nil {
		t.Fatal(err)
	}
	p := open(t, e, "/help", trial.Developer, trial.Admin)
	p.sees("[data-part=operations]", "POST /x/batch")
	paths := document.Paths.Map()
	resources := 0
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		if strings.Count(path, "/") != 1 || paths[path].Post == nil || paths[path].Get == nil {
			continue
		}
		resource := path[1:]
		schema := paths[path].Post.RequestBody.Value.Content.Get("application/json").Schema.Value
		like := c.Get(t, path+"?limit=1").Records(t)
		if len(like) == 0 {
			t.Errorf("the book has no %s", resource)
			continue
		}
		made := []trial.Record{}
		for n := range scripts {
			turn, texts := n, []string{}
			body := withScripts(schema, map[string]any(like[0]), &turn, &texts).(map[string]any)
			if len(texts) == 0 {
				break
			}
			record := c.Create(t, resource, body)
			made = append(made, record)
			p.turn("/record/" + resource + "/" + record.Text("id"))
			p.shows(resource, texts...)
		}
		if len(made) == 0 {
			continue
		}
		resources++
		if paths[path+"/{id}"].Put != nil {
			p.changes(c, resource, made[0], schema)
		}
	}
	if resources < 15 {
		t.Errorf("%d resources have texts", resources)
	}
	p.screens(c)
}

// changes replaces the scripts of a record by others, and sees both in its timeline.
func (p *tab) changes(c *trial.Client, resource string, record trial.Record, schema *openapi3.Schema) {
	p.Helper()
	turn, texts := 3, []string{}
	body := withScripts(schema, map[string]any(record), &turn, &texts).(map[string]any)
	for _, unique := range []string{"idNumber", "registrationNumber"} {
		if was, has := record[unique]; has {
			body[unique] = was
		}
	}
	c.Put(p.T, "/"+resource+"/"+record.Text("id"), body).Want(p.T, 200)
	p.turn("/today")
	p.sees("[data-part=ending]")
	p.turn("/record/" + resource + "/" + record.Text("id"))
	p.sees("[data-part=timeline] [data-version='2'] ins", "window.ran=1")
	p.harmless(resource + " changed")
}

// screens looks at the other screens, of records with scripts, and gives the screens scripts as their parameters.
func (p *tab) screens(c *trial.Client) {
	p.Helper()
	holder := c.Create(p.T, "personal", trial.Record{"firstName": scripts[0][1], "lastName": scripts[0][2],
		"dob": "1985-12-10", "idType": "passport", "idNumber": scripts[0][3],
		"address": trial.Record{"city": scripts[0][4]}})
	vehicle := c.Create(p.T, "vehicle", trial.Record{"plateNumber": scripts[1][1], "vin": scripts[1][2]})
	driver := c.Create(p.T, "driver", trial.Record{"name": scripts[1][3],
		"licence": trial.Record{"expiryDate": "2099-12-31"}})
	made := c.Create(p.T, "motorCoverage", trial.Record{"policyholderId": holder.Text("id"),
		"vehicleId": vehicle.Text("id"), "driverId": driver.Text("id"), "perils": []string{"fire"},
		"inceptionDate": "2026-01-01T00:00:00Z",
		"expiryDate":    "2027-01-01T00:00:00Z", "grossWrittenPremium": 1})
	claim := c.Create(p.T, "claim", trial.Record{"policyNumber": made.Text("policyNumber"),
		"lossDate": "2026-03-01T08:30:00Z", "fnol": "2026-06-02T08:30:00Z", "claimType": "own property damage",
		"lossCause": "fire", "location": scripts[2][2], "description": scripts[2][3], "reserve": 1})
	path := "/claim/" + claim.Text("id")
	for _, group := range scripts {
		c.Post(p.T, path+"/documents", trial.Record{"url": group[0], "type": group[1]}).Want(p.T, 200)
	}
	p.turn("/policy/" + made.Text("policyNumber"))
	p.shows("policy", slices.Concat(scripts[0][1:5], scripts[1][1:4])...)
	p.turn("/claim/" + claim.Text("claimNumber"))
	p.shows("claim", scripts[2][2:4]...)
	for _, group := range scripts {
		p.shows("documents", group[:2]...)
	}
	p.click("[data-action=revise]")
	p.becomes("document.querySelector('[name=\"/description\"]')?.value === " + quoted(scripts[2][3]))
	p.fill("revise", "/reserve", scripts[0][1])
	p.send("revise")
	p.sees("form[data-form=revise] .said", "must be")
	p.click("form[data-form=revise] .curl summary")
	p.shows("refusal", scripts[0][1])
	c.Post(p.T, "/motorCoverage/"+made.Text("id")+":cancel", trial.Record{"reason": scripts[0][2]}).Want(p.T, 200)
	for screen, text := range map[string]string{"/feed": "exchange.", "/today": claim.Text("claimNumber"),
		"/find": made.Text("policyNumber")} {
		p.turn(screen)
		p.shows(screen, text)
	}
	for _, text := range slices.Concat(scripts...) {
		given := url.PathEscape(text)
		p.turn("/find?q=" + url.QueryEscape(text))
		p.becomes("document.getElementById('results').dataset.of === " + quoted(strings.TrimSpace(text)))
		p.harmless("found " + text)
		for _, screen := range []string{"policy", "claim", "record", "create?line="} {
			p.turn(fmt.Sprintf("/%s/%s", screen, given))
			p.harmless(screen + " " + text)
		}
		p.turn("/" + given)
		p.harmless(text)
	}
	p.turn("/%")
	p.sees("h1", "Today")
}

package desk

import (
	"io"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"github.com/gin-gonic/gin"

	shown "insurance.example/exchange/contracts/reconciliation"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/rest"
	"insurance.example/exchange/pkg/rest/condition"
	"insurance.example/exchange/pkg/rest/once"
	"insurance.example/exchange/pkg/sheet/table"
	"insurance.example/exchange/services/desk/folder"
	"insurance.example/exchange/services/desk/reconciliation"
	"insurance.example/exchange/services/desk/reconciliation/profile"
)

const (
	profilesPath   = rest.ExtensionPrefix + "/reconciliation/profile"
	profilePath    = profilesPath + "/{profile}"
	statementsPath = rest.ExtensionPrefix + "/reconciliation/statement"
	statementPath  = statementsPath + "/{statementId}"
	runsPath       = rest.ExtensionPrefix + "/reconciliation/run"
	runPath        = runsPath + "/{runId}"
	itemPath       = runPath + "/items/{item}"
)

// reconciliationOperations are the operations about files of others.
func (o *office) reconciliationOperations() []rest.Extension {
	return slices.Concat(o.profileOperations(), o.statementOperations(), o.runOperations())
}

func (o *office) profileOperations() []rest.Extension {
	one := reflect.TypeFor[shown.FileProfile]()
	return []rest.Extension{{
		Path: profilesPath, Method: http.MethodGet, ID: "listProfiles", Summary: "The profiles of files, by name",
		Parameters: []string{"limit"}, Query: []rest.Parameter{afterParameter},
		Response: reflect.TypeFor[shown.FileProfileList](),
		Serve: func(c *gin.Context, _ any) (any, error) {
			after, limit, err := pageOf(c)
			if err != nil {
				return nil, err
			}
			return o.reconciler.Profiles(c.Request.Context(), after, limit)
		},
	}, {
		Path: profilePath, Method: http.MethodGet, ID: "readProfile", Summary: "How the files of somebody are read",
		Response: one, Tagged: true, Parameters: []string{"profile"}, Refuses: []problem.Kind{problem.NotFound},
		Serve: func(c *gin.Context, _ any) (any, error) {
			return taggedProfile(c)(o.reconciler.Profile(c.Request.Context(), c.Param("profile")))
		},
	}, {
		Path: profilePath, Method: http.MethodPut, Writes: true, ID: "putProfile",
		Summary: "Say how the files of somebody are read",
		Details: "A file is read as it is declared here, and nothing is guessed: an amount such as 1.234 without a " +
			"decimalMark, or a date such as 03/04/2026 without a dateOrder, is quarantined with its cell and the " +
			"reason. There are 500 profiles at most.",
		Body: reflect.TypeFor[shown.FileProfileTerms](), Response: one, Tagged: true, Parameters: []string{"profile"},
		Refuses: []problem.Kind{problem.Invalid, problem.RecordTooLarge}, Serve: o.putProfile,
	}}
}

// taggedProfile returns a profile with its entity tag.
func taggedProfile(c *gin.Context) func(shown.FileProfile, string, error) (any, error) {
	return func(p shown.FileProfile, tag string, err error) (any, error) {
		if err != nil {
			return nil, err
		}
		c.Header("ETag", tag)
		return p, nil
	}
}

func (o *office) putProfile(c *gin.Context, body any) (any, error) {
	name := c.Param("profile")
	if wrong := profile.NameWrong(name); wrong != "" {
		return nil, problem.New(problem.BadParameter, "").InParameter("profile", wrong)
	}
	return taggedProfile(c)(o.reconciler.PutProfile(c.Request.Context(), name, *body.(*shown.FileProfileTerms),
		func(tag string) error { return condition.Judge(c.Request.Header, tag) }))
}

// placeIn returns the id after which a page of the newest begins, empty for the first page, and how many it has. Where
// organisations share the exchange, the id is sealed in the cursor. Errors: problem.BadParameter.
func (o *office) placeIn(c *gin.Context) (after string, limit int, err error) {
	if _, limit, err = pageOf(c); err != nil {
		return "", 0, err
	}
	values, err := url.ParseQuery(o.cursors.Given(c.Request))
	if err != nil {
		return "", 0, problem.New(problem.BadParameter, "").InParameter("cursor", "cannot be read")
	}
	return values.Get("cursor"), limit, nil
}

// cursorOf returns the cursor for the page after an id; none for none.
func (o *office) cursorOf(c *gin.Context, id string) string {
	if id == "" {
		return ""
	}
	values, _ := url.ParseQuery(o.cursors.Next(c.Request.Context(), c.Request.URL.Path, url.Values{"cursor": {id}}))
	return values.Get("cursor") // it was made by Next
}

var byProfile = rest.Parameter{Name: "profile", Means: "The profile that the file is read by; required"}

func (o *office) statementOperations() []rest.Extension {
	one := reflect.TypeFor[shown.Statement]()
	return []rest.Extension{{
		Path: statementsPath, Method: http.MethodGet, ID: "listStatements",
		Summary: "The files that were sent, the newest first", Parameters: []string{"limit", "cursor"},
		Response: reflect.TypeFor[shown.StatementList](),
		Serve: func(c *gin.Context, _ any) (any, error) {
			after, limit, err := o.placeIn(c)
			if err != nil {
				return nil, err
			}
			page, err := o.reconciler.Statements(c.Request.Context(), after, limit)
			page.Next = o.cursorOf(c, page.Next)
			return page, err
		},
	}, {
		Path: statementsPath, Method: http.MethodPost, Writes: true, ID: "sendStatement",
		Summary: "Send a file of somebody else",
		Details: "A file has 64 MiB at most, 250,000 rows and 500 columns, and is kept as it was sent. The same " +
			"file, read by the same version of a profile, is the same statement. Formulas of a workbook are taken by " +
			"their stored values and counted. One with macros or links to others is refused. With replaces it takes " +
			"the place of an earlier one, if that is the newest: it stays readable and names this one, and a " +
			"comparison of this one takes the place of those of that one with the same records.",
		Takes: []string{csvMedia, table.XLSX.Media}, Largest: folder.LargestFile, Response: one,
		Query: []rest.Parameter{byProfile, {
			Name: "replaces", Means: "The id of the statement of the same profile whose place it takes",
		}},
		Refuses: []problem.Kind{problem.NotFound, problem.Invalid, problem.Transition},
		Serve: func(c *gin.Context, body any) (any, error) {
			return o.reconciler.Send(c.Request.Context(), c.Query("profile"), c.Query("replaces"),
				body.(io.Reader))
		},
	}, {
		Path: statementsPath + ":try", Method: http.MethodPost, Writes: true, ID: "tryStatement",
		Summary: "How the first rows of a file would be read",
		Details: "The file is sent as it would be for good, and its first 20 rows are read by the profile. Nothing " +
			"of it is kept. What is wrong after them is found when the file is sent for good.",
		Takes: []string{csvMedia, table.XLSX.Media}, Largest: folder.LargestFile,
		Response: reflect.TypeFor[shown.FileTrial](), Query: []rest.Parameter{byProfile},
		Refuses: []problem.Kind{problem.NotFound, problem.Invalid},
		Serve: func(c *gin.Context, body any) (any, error) {
			return o.reconciler.Try(c.Request.Context(), c.Query("profile"), body.(io.Reader))
		},
	}, {
		Path: statementPath, Method: http.MethodGet, ID: "readStatement",
		Summary: "A file that was sent, and what was read of it", Response: one, Parameters: []string{"statementId"},
		Refuses: []problem.Kind{problem.NotFound},
		Serve: func(c *gin.Context, _ any) (any, error) {
			return o.reconciler.Statement(c.Request.Context(), c.Param("statementId"))
		},
	}, {
		Path: statementPath + "/changes", Method: http.MethodGet, ID: "listStatementChanges",
		Summary:  "What differs between a file and the one whose place it has taken",
		Response: reflect.TypeFor[shown.StatementChanges](), Parameters: []string{"statementId", "limit"},
		Query:   []rest.Parameter{skipParameter},
		Refuses: []problem.Kind{problem.NotFound},
		Serve: func(c *gin.Context, _ any) (any, error) {
			skip, limit, err := within(c)
			if err != nil {
				return nil, err
			}
			return o.reconciler.Changes(c.Request.Context(), c.Param("statementId"), skip, limit)
		},
	}, {
		Path: statementPath + "/file", Method: http.MethodGet, ID: "readStatementFile",
		Summary: "A file, as it was sent", Media: "application/octet-stream", Parameters: []string{"statementId"},
		Tagged: true, Refuses: []problem.Kind{problem.NotFound}, Serve: o.statementFile,
	}}
}

func (o *office) statementFile(c *gin.Context, _ any) (any, error) {
	ctx, id := c.Request.Context(), c.Param("statementId")
	s, err := o.reconciler.Statement(ctx, id)
	if err != nil {
		return nil, err
	}
	c.Header("ETag", `"`+s.Digest+`"`)
	c.Header("Content-Disposition", `attachment; filename="`+s.ID+`"`)
	return func(w io.Writer) error { return o.reconciler.WriteFile(ctx, id, w) }, nil
}

func (o *office) runOperations() []rest.Extension {
	one := reflect.TypeFor[shown.Run]()
	return []rest.Extension{{
		Path: runsPath, Method: http.MethodGet, ID: "listRuns",
		Summary:    "The comparisons, the newest first, with their states and how many items came of each",
		Parameters: []string{"limit", "cursor"}, Response: reflect.TypeFor[shown.RunList](),
		Serve: func(c *gin.Context, _ any) (any, error) {
			after, limit, err := o.placeIn(c)
			if err != nil {
				return nil, err
			}
			page, err := o.reconciler.Runs(c.Request.Context(), after, limit)
			page.Next = o.cursorOf(c, page.Next)
			return page, err
		},
	}, {
		Path: runsPath, Method: http.MethodPost, Writes: true, Creates: true, ID: "compareStatement",
		Summary: "Compare a file with what is reported",
		Details: "A row and a record are paired by the id of the line; by policy, type and period; by policy and " +
			"amount within a number of days; or, without a type, by policy and day alone, as a mismatch: each only " +
			"where it is unique on both sides. A pair stands until somebody parts it, in all runs of the contract, " +
			"so that no record and no row is in two. A comparison takes the place of an earlier one of the same " +
			"statement, or of one that it replaces, with the same records: these are free for it. It is refused if " +
			"something of the earlier one was accepted, disputed or paired by hand, unless carry is true.",
		Body: reflect.TypeFor[shown.RunRequest](), Response: one, Parameters: []string{keyed},
		Refuses: []problem.Kind{
			problem.Invalid, problem.RecordTooLarge, problem.BadHeader, problem.KeyReused, problem.Transition,
		},
		Serve: func(c *gin.Context, body any) (any, error) {
			asked := *body.(*shown.RunRequest)
			by, err := once.Of(o.server, c, "compare", asked)
			if err != nil {
				return nil, err
			}
			run, err := o.reconciler.Run(c.Request.Context(), asked, by)
			if err != nil {
				return nil, err
			}
			by.Mark(c)
			c.Header("Location", runsPath+"/"+run.ID)
			return run, nil
		},
	}, {
		Path: runPath, Method: http.MethodGet, ID: "readRun",
		Summary:  "A comparison: how many items came of it, what was decided, and how old what is open is",
		Response: one, Parameters: []string{"runId"}, Refuses: []problem.Kind{problem.NotFound},
		Serve: func(c *gin.Context, _ any) (any, error) {
			return o.reconciler.Read(c.Request.Context(), c.Param("runId"))
		},
	}, {
		Path: runPath + "/items", Method: http.MethodGet, ID: "listItems",
		Summary: "The items of a comparison, by outcome and then by row",
		Details: "With Accept text/csv or that of XLSX the response is a file with all that is not matched, to send " +
			"back: the row, the policy, the day, each cell as the file and the record have it with the difference, " +
			"and the reason. Such a file has no pages.",
		Also:     table.Media(),
		Response: reflect.TypeFor[shown.RunItems](), Parameters: []string{"runId", "limit"},
		Query: []rest.Parameter{
			{Name: "outcome", Values: shown.Outcomes, Means: "The outcome of the items; any without it"},
			{Name: "decision", Values: decisions, Means: "What was decided about the items; anything without it. A " +
				"page looks at 10,000 items, so that it may have fewer than limit, or none, and a next"},
			skipParameter,
		},
		Refuses: []problem.Kind{problem.NotFound}, Serve: o.items,
	}, {
		Path: runPath + ":pair", Method: http.MethodPost, Writes: true, ID: "pairItems",
		Summary: "Pair a row and a record by hand",
		Details: "Two items that nobody has decided on, one of a row that is missingHere or ambiguous and one of a " +
			"record that is missingThere, become one: the item of the row is matched, withinTolerance or a mismatch, " +
			"as their cells are, and says who has paired them. The pair stands as others do.",
		Body: reflect.TypeFor[shown.PairRequest](), Response: reflect.TypeFor[shown.RunItem](),
		Parameters: []string{"runId"},
		Refuses:    []problem.Kind{problem.NotFound, problem.Invalid, problem.Transition, problem.RecordTooLarge},
		Serve: func(c *gin.Context, body any) (any, error) {
			return o.reconciler.Pair(c.Request.Context(), c.Param("runId"), *body.(*shown.PairRequest))
		},
	}, {
		Path: runPath + ":unpair", Method: http.MethodPost, Writes: true, ID: "unpairItems",
		Summary: "Part a pair that was made by hand. Its two items are as they were",
		Body:    reflect.TypeFor[shown.PairRequest](), Response: reflect.TypeFor[shown.RunItems](),
		Parameters: []string{"runId"},
		Refuses:    []problem.Kind{problem.NotFound, problem.Invalid, problem.Transition},
		Serve: func(c *gin.Context, body any) (any, error) {
			return o.reconciler.Unpair(c.Request.Context(), c.Param("runId"), *body.(*shown.PairRequest))
		},
	},
		o.decidingAll("accept", shown.Accepted, "Accept all items that a filter selects"),
		o.decidingAll("dispute", shown.Disputed, "Dispute all items that a filter selects"),
		o.deciding("accept", shown.Accepted, "Accept an item that is no pair without a difference"),
		o.deciding("dispute", shown.Disputed, "Dispute an item"),
		o.deciding("unmatch", shown.Unmatched,
			"Part a pair. Its row and record are free for later runs, and no run pairs them with each other again"),
	}
}

// decisions are those by which items are listed.
var decisions = []string{shown.Accepted, shown.Disputed}

// csvMedia is the media type of CSV as a request asks for it.
const csvMedia = "text/csv"

func (o *office) items(c *gin.Context, _ any) (any, error) {
	skip, limit, err := within(c)
	if err != nil {
		return nil, err
	}
	outcome := c.Query("outcome")
	if outcome != "" && !slices.Contains(shown.Outcomes, outcome) {
		return nil, problem.New(problem.BadParameter, "").InParameter("outcome",
			"must be one of "+strings.Join(shown.Outcomes, ", "))
	}
	decision := c.Query("decision")
	if decision != "" && !slices.Contains(decisions, decision) {
		return nil, problem.New(problem.BadParameter, "").InParameter("decision",
			"must be one of "+strings.Join(decisions, ", "))
	}
	ctx, id := c.Request.Context(), c.Param("runId")
	format := table.Asked(c)
	if format.Name == "" {
		return o.reconciler.Items(ctx, id, outcome, decision, skip, limit)
	}
	return format.Respond(c, "differences-"+id, ofPages, func() (columns []table.Column, each table.Each, err error) {
		_, err = o.reconciler.Read(ctx, id)
		return reconciliation.DifferenceColumns, func(row func([]string) error) error {
			return o.reconciler.Differences(ctx, id, outcome, decision, row)
		}, err
	})
}

// ofPages are the parameters of pages.
var ofPages = []string{"skip", "after", "limit"}

// deciding is an operation by which somebody decides about an item.
func (o *office) deciding(action, is, summary string) rest.Extension {
	return rest.Extension{
		Path: itemPath + ":" + action, Method: http.MethodPost, Writes: true, ID: action + "Item", Summary: summary,
		Body: reflect.TypeFor[shown.DecisionReason](), Response: reflect.TypeFor[shown.RunItem](),
		Parameters: []string{"runId", "item"},
		Refuses:    []problem.Kind{problem.NotFound, problem.Invalid, problem.Transition},
		Serve: func(c *gin.Context, body any) (any, error) {
			return o.reconciler.Decide(c.Request.Context(), c.Param("runId"), c.Param("item"), is,
				*body.(*shown.DecisionReason))
		},
	}
}

// decidingAll is an operation by which somebody decides about many items.
func (o *office) decidingAll(action, is, summary string) rest.Extension {
	return rest.Extension{
		Path: runPath + ":" + action, Method: http.MethodPost, Writes: true, ID: action + "Items", Summary: summary,
		Details: "Up to 10,000 items are decided on, each by itself; more says whether others are left. What a " +
			"request has decided on is decided, also where it failed afterwards, and the same request again goes on " +
			"with the others.",
		Body: reflect.TypeFor[shown.RunDecision](), Response: reflect.TypeFor[shown.RunDecided](),
		Parameters: []string{"runId"},
		Refuses:    []problem.Kind{problem.NotFound, problem.Invalid, problem.Transition},
		Serve: func(c *gin.Context, body any) (any, error) {
			return o.reconciler.DecideAll(c.Request.Context(), c.Param("runId"), is, *body.(*shown.RunDecision))
		},
	}
}

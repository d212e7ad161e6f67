package desk

import (
	"fmt"
	"io"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/gin-gonic/gin"

	"insurance.example/exchange/contracts/desk"
	"insurance.example/exchange/contracts/problems"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/rest"
	"insurance.example/exchange/pkg/rest/once"
	"insurance.example/exchange/pkg/rest/query"
	"insurance.example/exchange/services/desk/bordereau"
	"insurance.example/exchange/services/desk/export"
	"insurance.example/exchange/services/desk/period"
)

const (
	bordereauxPath = rest.ExtensionPrefix + "/bordereau"
	periodPath     = bordereauxPath + "/{contract}/{kind}/{period}"
	versionPath    = periodPath + "/versions/{number}"
)

// mostSkipped is how many lines or findings may be left out before a page: as many as a version can have.
const mostSkipped = 10_000_000

var (
	// keyed is the parameter of an operation that is done once for an Idempotency-Key.
	keyed     = "IdempotencyKey"
	ofPeriod  = []string{"contract", "kind", "period"}
	ofVersion = append(slices.Clone(ofPeriod), "number")
	// skipParameter is the parameter by which lines and findings go on. Those of a version never change.
	skipParameter = rest.Parameter{Name: "skip", Format: "int64", Means: "How many to leave out before the page"}
)

// states are the states of a period.
var states = []string{
	desk.Scheduled, desk.Open, desk.Due, desk.Overdue, desk.Prepared, desk.Approved, desk.Acknowledged,
}

// bordereauOperations are the operations about bordereaux.
func (o *office) bordereauOperations() []rest.Extension {
	status := reflect.TypeFor[desk.BordereauStatus]()
	return append([]rest.Extension{{
		Path: bordereauxPath, Method: http.MethodGet, ID: "listBordereaux",
		Summary:    "The work list: the periods of contracts, from the first of each up to the present one",
		Parameters: []string{"limit"},
		Query: []rest.Parameter{
			{Name: "contract", Means: "The contract whose periods are listed; all without it"},
			ownerParameter,
			{Name: "kind", Values: bordereau.Kinds, Means: "The kind of bordereau; all without it"},
			{Name: "state", Values: states, Means: "The state of the periods; any without it. overdue are all that " +
				"are late, also those that are prepared"},
			{Name: "from", Means: "A month or quarter, such as 2026-01 or 2026-Q1: periods that end before it are " +
				"left out; none without it"},
			afterParameter,
		},
		Response: reflect.TypeFor[desk.BordereauWork](),
		Refuses:  []problem.Kind{problem.NotFound, problem.Ambiguous}, Serve: o.work,
	}, {
		Path: bordereauxPath + "/unassigned", Method: http.MethodGet, ID: "listUnassignedPolicies",
		Summary: "Policies that have receipts or claims and belong to no contract", Parameters: []string{"limit"},
		Query: []rest.Parameter{afterParameter}, Response: reflect.TypeFor[desk.UnassignedPolicies](),
		Serve: o.unassigned,
	}, {
		Path: periodPath, Method: http.MethodGet, ID: "readBordereau",
		Summary:    "A period: its versions, what it would have now, and what differs from what stands approved",
		Parameters: ofPeriod, Response: reflect.TypeFor[desk.BordereauLive](),
		Refuses: []problem.Kind{problem.NotFound},
		Serve: func(c *gin.Context, _ any) (any, error) {
			return o.desk.Live(c.Request.Context(), placeOf(c))
		},
	}, {
		Path: periodPath + "/lines", Method: http.MethodGet, ID: "listLiveBordereauLines",
		Summary:    "The lines that a period would have now, in the order in which they were recorded",
		Parameters: append(slices.Clone(ofPeriod), "limit"), Query: []rest.Parameter{skipParameter},
		Response: reflect.TypeFor[desk.BordereauLines](),
		Refuses:  []problem.Kind{problem.RightMissing, problem.NotFound},
		Serve: func(c *gin.Context, _ any) (any, error) {
			skip, limit, err := within(c)
			if err != nil {
				return nil, err
			}
			return o.desk.LiveLines(c.Request.Context(), placeOf(c), skip, limit)
		},
	}, {
		Path: periodPath + ":prepare", Method: http.MethodPost, Writes: true, Creates: true, ID: "prepareBordereau",
		Summary: "Make a version of what is reported for a period",
		Details: "A period is prepared once it is over and the one before it has an approved version. What was " +
			"recorded in an earlier period and is not reported yet is a line of it, as late. A version never changes.",
		Body: reflect.TypeFor[desk.BordereauPrepare](), Response: reflect.TypeFor[desk.BordereauVersion](),
		Parameters: append(slices.Clone(ofPeriod), keyed),
		Refuses: []problem.Kind{
			problem.NotFound, problem.Invalid, problem.BadHeader, problem.KeyReused, problems.PeriodNotReady,
			problems.VersionMisfit,
		},
		Serve: func(c *gin.Context, body any) (any, error) {
			at, asked := placeOf(c), *body.(*desk.BordereauPrepare)
			operation := strings.Join([]string{"prepare", at.Contract, at.Kind, at.Period}, "/")
			by, err := once.Of(o.server, c, operation, asked)
			if err != nil {
				return nil, err
			}
			v, err := o.desk.Prepare(c.Request.Context(), at, asked, by)
			if err != nil {
				return nil, err
			}
			by.Mark(c)
			c.Header("Location", fmt.Sprintf("%s/%s/%s/%s/versions/%d", bordereauxPath, v.Contract, v.Kind, v.Period,
				v.Number))
			return v, nil
		},
	}, signing("approve", "Approve a version",
		"Its findings of the severity error must be waived. Where the contract has two persons sign off, who has "+
			"prepared it, waived a finding of it, or changed the amounts of the contract does not approve it.",
		reflect.TypeFor[desk.BordereauDigest](), status,
		[]problem.Kind{problems.NotPending, problems.FindingsOpen, problems.SamePerson, problems.DigestDiffers,
			problems.VersionMisfit},
		func(c *gin.Context, body any) (any, error) {
			return o.desk.Approve(c.Request.Context(), placeOf(c), c.Param("number"), *body.(*desk.BordereauDigest))
		}),
		signing("reject", "Reject a pending version", "", reflect.TypeFor[desk.BordereauReason](), status,
			[]problem.Kind{problems.NotPending},
			func(c *gin.Context, body any) (any, error) {
				return o.desk.Reject(c.Request.Context(), placeOf(c), c.Param("number"), *body.(*desk.BordereauReason))
			}),
		signing("acknowledge", "Note that the other side has seen an approved version",
			"Where organisations share the exchange, the counterparty that the contract names acknowledges, and "+
				"nobody else. The acknowledgements of the first 100 persons are kept.",
			reflect.TypeFor[desk.BordereauDigest](), status,
			[]problem.Kind{problem.RightMissing, problems.NotPending, problems.DigestDiffers},
			func(c *gin.Context, body any) (any, error) {
				return o.desk.Acknowledge(c.Request.Context(), placeOf(c), c.Param("number"),
					*body.(*desk.BordereauDigest))
			}),
	}, o.versionOperations()...)
}

// signing is an operation that changes the state of a version.
func signing(action, summary, details string, body, response reflect.Type, refuses []problem.Kind,
	serve func(*gin.Context, any) (any, error),
) rest.Extension {
	return rest.Extension{
		Path: versionPath + ":" + action, Method: http.MethodPost, Writes: true, ID: action + "Bordereau",
		Summary: summary, Details: details, Body: body, Response: response, Parameters: ofVersion,
		Refuses: append([]problem.Kind{problem.NotFound, problem.Invalid}, refuses...), Serve: serve,
	}
}

// versionOperations are those about one version.
func (o *office) versionOperations() []rest.Extension {
	read := func(
		path, id, summary string, response reflect.Type, serve func(*gin.Context, any) (any, error),
	) rest.Extension {
		return rest.Extension{Path: versionPath + path, Method: http.MethodGet, ID: id, Summary: summary,
			Response: response, Parameters: ofVersion, Refuses: []problem.Kind{problem.NotFound}, Serve: serve}
	}
	lines := read("/lines", "listBordereauLines", "The lines of a version, in the order in which they were recorded",
		reflect.TypeFor[desk.BordereauLines](), o.lines)
	lines.Parameters = append(slices.Clone(ofVersion), "limit")
	lines.Query, lines.Tagged = []rest.Parameter{skipParameter}, true
	findings := read("/findings", "listBordereauFindings", "What somebody should look at before a version is approved",
		reflect.TypeFor[desk.BordereauFindings](), o.findings)
	findings.Parameters, findings.Query = lines.Parameters, lines.Query
	diff := read("/diff", "compareBordereaux",
		"What differs between two versions of a period, or between one and what it would be now, cell by cell",
		reflect.TypeFor[desk.BordereauDifferences](), func(c *gin.Context, _ any) (any, error) {
			return o.desk.Diff(c.Request.Context(), placeOf(c), c.Param("number"), c.Query("to"))
		})
	diff.Refuses = []problem.Kind{problem.RightMissing, problem.NotFound}
	diff.Query = []rest.Parameter{{Name: "to", Means: "The number of the other version, or live for what it would be " +
		"now; required"}}
	source := read("/lines/{lineId}/source", "readBordereauLineSource",
		"What a line was made of: its receipt or claim, the policy and its holder, as they were",
		reflect.TypeFor[desk.LineSource](), func(c *gin.Context, _ any) (any, error) {
			return o.desk.Source(c.Request.Context(), placeOf(c), c.Param("number"), c.Param("lineId"))
		})
	source.Parameters = append(slices.Clone(ofVersion), "lineId")
	waive := signing("waive", "Waive an error of a pending version, with a reason", "",
		reflect.TypeFor[desk.BordereauReason](), reflect.TypeFor[desk.BordereauStatus](),
		[]problem.Kind{problems.NotPending, problems.FindingsOpen},
		func(c *gin.Context, body any) (any, error) {
			return o.desk.Waive(c.Request.Context(), placeOf(c), c.Param("number"), c.Param("finding"),
				*body.(*desk.BordereauReason))
		})
	waive.Path, waive.ID = versionPath+"/findings/{finding}:waive", "waiveBordereauFinding"
	waive.Parameters = append(slices.Clone(ofVersion), "finding")
	table := read("/lines.csv", "exportBordereauCSV", "The lines of a version as CSV, in the columns of the market",
		nil, o.export(export.CSV))
	table.Media, table.Tagged = export.CSV.Media, true
	sheet := read("/lines.xlsx", "exportBordereauXLSX",
		"The lines of a version as a workbook, in the columns of the market, with control totals and findings", nil,
		o.export(export.XLSX))
	sheet.Media, sheet.Tagged = export.XLSX.Media, true
	const layout = "The entity tag is made of the digest of the version and the number of the layout of the file. An " +
		"approved version keeps the layout that was in force at its approval; another one has that of the release."
	table.Details, sheet.Details = layout, layout+" The tag also says how often a finding was waived, if one was."
	version := read("", "readBordereauVersion", "A version. It reads the same for ever",
		reflect.TypeFor[desk.BordereauVersion](), o.version)
	version.Tagged = true
	return []rest.Extension{
		version, lines, table, sheet, findings, waive, diff, source,
	}
}

func placeOf(c *gin.Context) bordereau.Place {
	return bordereau.Place{Contract: c.Param("contract"), Kind: c.Param("kind"), Period: c.Param("period")}
}

func (o *office) work(c *gin.Context, _ any) (any, error) {
	after, limit, err := pageOf(c)
	if err != nil {
		return nil, err
	}
	asked := bordereau.Work{Contract: c.Query("contract"), Owner: c.Query(ownerParameter.Name), Kind: c.Query("kind"),
		State: c.Query("state"), After: after, Limit: limit}
	wrong := problem.New(problem.BadParameter, "")
	for _, p := range []struct {
		name, value string
		of          []string
	}{{"kind", asked.Kind, bordereau.Kinds}, {"state", asked.State, states}} {
		if p.value != "" && !slices.Contains(p.of, p.value) {
			wrong.InParameter(p.name, "must be one of "+strings.Join(p.of, ", "))
		}
	}
	if text := c.Query("from"); text != "" {
		var is bool
		if asked.From, is = period.Parse(text); !is {
			wrong.InParameter("from", "must be a month or a quarter, such as 2026-01, 2026-Q1 or 2026-02-3M")
		}
	}
	if len(wrong.Violations) > 0 {
		return nil, wrong
	}
	return o.desk.Work(c.Request.Context(), asked)
}

func (o *office) version(c *gin.Context, _ any) (any, error) {
	v, err := o.desk.Version(c.Request.Context(), placeOf(c), c.Param("number"))
	if err != nil {
		return nil, err
	}
	c.Header("ETag", `"`+v.Digest+`"`)
	return v, nil
}

// within returns how many items a request leaves out, and how many it asks for. Errors: problem.BadParameter.
func within(c *gin.Context) (skip, limit int, err error) {
	if _, limit, err = pageOf(c); err != nil {
		return 0, 0, err
	}
	if text, given := c.GetQuery("skip"); given {
		if wrong := query.Whole(text, 0, mostSkipped, &skip); wrong != "" {
			return 0, 0, problem.New(problem.BadParameter, "").InParameter("skip", wrong)
		}
	}
	return skip, limit, nil
}

func (o *office) lines(c *gin.Context, _ any) (any, error) {
	skip, limit, err := within(c)
	if err != nil {
		return nil, err
	}
	lines, digest, err := o.desk.Lines(c.Request.Context(), placeOf(c), c.Param("number"), skip, limit)
	if err != nil {
		return nil, err
	}
	c.Header("ETag", `"`+digest+`"`)
	return lines, nil
}

func (o *office) findings(c *gin.Context, _ any) (any, error) {
	skip, limit, err := within(c)
	if err != nil {
		return nil, err
	}
	return o.desk.Findings(c.Request.Context(), placeOf(c), c.Param("number"), skip, limit)
}

// export returns what serves the lines of a version in a format.
func (o *office) export(format export.Format) func(*gin.Context, any) (any, error) {
	return func(c *gin.Context, _ any) (any, error) {
		ctx, at, number := c.Request.Context(), placeOf(c), c.Param("number")
		v, err := o.desk.Version(ctx, at, number)
		if err != nil {
			return nil, err
		}
		of, err := o.desk.Export(ctx, at, number)
		if err != nil {
			return nil, err
		}
		tag := v.Digest + "-" + strconv.Itoa(of.Layout)
		if format.Findings && of.Waivers > 0 {
			tag += "-" + strconv.Itoa(of.Waivers) // they are in the file, and not in the digest
		}
		c.Header("ETag", `"`+tag+`"`)
		c.Header("Content-Disposition", `attachment; filename="`+strings.Join([]string{
			v.Contract, v.Kind, v.Period, number}, "-")+"."+format.Name+`"`)
		version := export.Version{Desk: o.desk, At: at, Number: number, Layout: of.Layout}
		return func(w io.Writer) error { return format.Export(ctx, w, version) }, nil
	}
}

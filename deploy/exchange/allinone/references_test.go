package allinone

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestReferencesAreTheirOrganisations gives the same names in two organisations: each finds its own by them, and a body
// names nothing of another's by them but a policy that it sees, by its number.
func TestReferencesAreTheirOrganisations(t *testing.T) {
	s := runShared(t)
	acme, zenith := s.as("acme"), s.as("zenith")
	const wording, product = `{"name":"Standard","externalReference":"W"}`,
		`{"lineOfBusiness":1,"wordingId":"ref:W","currency":"EUR","externalReference":"P 1"}`
	zenith.create("/policyWording", `{"name":"Other"}`)
	acmes := acme.create("/policyWording", wording)
	zenith.want(404, "POST", "/product", product) // the wording is acme's, which zenith reads
	own := zenith.create("/policyWording", wording)
	for of, wordingID := range map[*member]string{acme: acmes, zenith: own} {
		made := of.want(201, "POST", "/product", product)
		if made.named("wording") != wordingID {
			t.Errorf("%s: the wording is %s, want %s", of.organisation, made.named("wording"), wordingID)
		}
		again := of.want(409, "POST", "/product", product)
		if again.named("existingId") != made.named("id") {
			t.Errorf("%s: refused by %s, want %s", of.organisation, again.named("existingId"), made.named("id"))
		}
		if all := of.list("/product?externalReference=P+1"); len(all) != 1 || id(all[0]) != made.named("id") {
			t.Errorf("%s: the reference finds %v", of.organisation, all)
		}
	}

	zeniths, b := newHolding(t, s, "zenith"), newHolding(t, s, "acme")
	b.share("zenith:read,claims")
	path := "/claim/" + b.claimID
	acme.want(200, "PUT", path, `{"externalReference":"C 1"}`)
	if all := zenith.list("/claim?externalReference=C+1"); len(all) != 0 {
		t.Errorf("a reference of acme's finds %v for zenith", all)
	}
	claim := func(policy string) string { return strings.Replace(b.claimBody(), b.policyNumber, policy, 1) }
	filed := zenith.want(201, "POST", "/claim", claim("ref:"+b.policyNumber))
	if filed.named("policyNumber") != b.policyNumber {
		t.Errorf("the claim is of %s, want %s", filed.named("policyNumber"), b.policyNumber)
	}
	acme.want(200, "PUT", b.policyPath, policyWith(t, b, `"POL 1"`))
	zenith.want(404, "POST", "/claim", claim("ref:POL 1"))
	acme.want(201, "POST", "/claim", claim("ref:POL 1"))
	zenith.want(404, "POST", "/claim", claim("ref:none"))

	// Who writes another's record is not told what else its owner has.
	second := acme.want(201, "POST", "/claim", b.claimBody()).named("id")
	zenith.want(200, "PUT", "/claim/"+zeniths.claimID, `{"externalReference":"C 1"}`)
	refused := zenith.want(409, "PUT", "/claim/"+second, `{"externalReference":"C 1"}`)
	if !strings.Contains(refused.body, "external-reference-taken") || strings.Contains(refused.body, "existingId") {
		t.Errorf("zenith is told %s", refused.body)
	}
	refused = acme.want(409, "PUT", "/claim/"+second, `{"externalReference":"C 1"}`)
	if refused.named("existingId") != b.claimID {
		t.Errorf("acme is told %s", refused.body)
	}
	zenith.want(200, "PUT", "/claim/"+zeniths.claimID, `{"externalReference":"C 2"}`)
	zenith.want(200, "PUT", "/claim/"+second, `{"externalReference":"C 2"}`) // acme has none of this name
	b.share("zenith:read")
	refused = zenith.want(403, "POST", "/claim", claim("ref:"+b.policyNumber))
	if !strings.Contains(refused.body, "right-missing") {
		t.Errorf("zenith is told %s", refused.body)
	}
}

// policyWith returns the body of a PUT of the policy with a reference.
func policyWith(t *testing.T, b *holding, reference string) string {
	t.Helper()
	body, err := json.Marshal(b.policy)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Replace(string(body), "{", `{"externalReference":`+reference+",", 1)
}

// Package products holds what insurers sell: products, the catalogue of lines of business, and policy wordings.
package products

import "insurance.example/exchange/contracts/scalar"

// Product is an insurance product. LineOfBusiness is a code of the product catalogue, 1 to 65; Wording is the id of a
// policyWording.
type Product struct {
	scalar.Record
	LineOfBusiness   *scalar.Int    `json:"lineOfBusiness,omitzero"`
	ProductModel     *string        `json:"productModel,omitzero" set:"ProductModel"`
	ContractType     *string        `json:"contractType,omitzero" set:"ContractType"`
	Currency         *string        `json:"currency,omitzero" set:"Currency"`
	PolicyFee        scalar.Decimal `json:"policyFee,omitzero"`
	PaymentFrequency *string        `json:"paymentFrequency,omitzero" set:"PremiumPaymentFrequency"`
	Wording          scalar.ID      `json:"wording,omitzero"`
}

// CatalogEntry is one line of business of the product catalogue.
type CatalogEntry struct {
	Code        int    `json:"code"`
	Description string `json:"description" issued:"ProductCatalog"`
}

// PolicyWording is the text a product is sold under; Version is the wording's own, not the interface's.
type PolicyWording struct {
	scalar.Record
	Name          *string     `json:"name,omitzero"`
	Version       *string     `json:"version,omitzero"`
	EffectiveDate scalar.Date `json:"effectiveDate,omitzero"`
}

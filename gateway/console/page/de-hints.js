// What stands below fields, and the requests of the page, in German, by what the interface document says in English.

export default {
  'The name or number of the building.': 'Name oder Nummer des Gebäudes.',
  'The city, town or village.': 'Die Stadt oder der Ort.',
  'The country, as its ISO 3166-1 alpha-2 code.': 'Das Land, mit zwei Buchstaben nach ISO 3166-1.',
  'The country that issued the licence, as sent.': 'Das Land, das den Führerschein ausgestellt hat.',
  'The postal code.': 'Die Postleitzahl.', 'The state, province or region.': 'Das Bundesland oder die Region.',
  'The name of the street.': 'Der Name der Straße.',
  'Three words that stand for a place.': 'Drei Wörter, die für einen Ort stehen.',
  'The day of birth.': 'Der Tag der Geburt.', 'The first name.': 'Der Vorname.', 'The last name.': 'Der Nachname.',
  'The number of the identity document.': 'Die Nummer des Ausweises.',
  'The kind of identity document.': 'Die Art des Ausweises.', 'The registered name.': 'Der eingetragene Name.',
  'The caller\'s own name of the record: 1 to 100 characters, unique in its organisation and resource.':
    'Der eigene Name für den Datensatz: 1 bis 100 Zeichen, einmal je Organisation und Art.',
  'The name of the person.': 'Der Name der Person.', 'The name of the buyer.': 'Der Name des Käufers.',
  'The number under which the company is registered.': 'Die Nummer, unter der die Firma eingetragen ist.',
  'The number under which the buyer is registered.': 'Die Nummer, unter der der Käufer eingetragen ist.',
  'The number of the chassis.': 'Die Nummer des Fahrgestells.', 'The number on the plate.': 'Das Kennzeichen.',
  'The vehicle identification number.': 'Die Fahrzeug-Identifizierungsnummer.',
  'Whether this is the primary driver.': 'Ob dies der Hauptfahrer ist.',
  'The last day on which the licence is valid. A motor policy needs a licence that has it and has not expired.':
    'Der letzte Tag, an dem der Führerschein gilt. Eine Kraftfahrtpolice braucht einen, der nicht abgelaufen ist.',
  'The instant at which the term ends; it is no longer part of the term.':
    'Wann die Laufzeit endet; der Zeitpunkt gehört nicht mehr dazu.',
  'The day of issue.': 'Der Tag der Ausstellung.', 'The number of the licence.': 'Die Nummer des Führerscheins.',
  'The sector of the business, in words.': 'Die Branche des Betriebs, in Worten.',
  'Whether the business shares data.': 'Ob der Betrieb Daten weitergibt.',
  'The turnover of a year.': 'Der Umsatz eines Jahres.',
  'The number of IT staff, which may be a fraction.': 'Die Zahl der Beschäftigten in der IT, auch als Bruchteil.',
  'The number of employees, which may be a fraction.': 'Die Zahl der Beschäftigten, auch als Bruchteil.',
  'The latitude, as text.': 'Die geografische Breite, als Text.',
  'The longitude, as text.': 'Die geografische Länge, als Text.',
  'The type of property. A property policy needs it.': 'Die Art des Gebäudes. Eine Sachpolice braucht sie.',
  'The construction of the roof.': 'Die Bauart des Dachs.', 'The construction of the walls.': 'Die Bauart der Wände.',
  'The sum for which the building is insured.': 'Die Summe, für die das Gebäude versichert ist.',
  'The sum for which the content is insured.': 'Die Summe, für die der Inhalt versichert ist.',
  'The country of the nationality, as its ISO 3166-1 alpha-2 code.':
    'Das Land der Staatsangehörigkeit, mit zwei Buchstaben nach ISO 3166-1.',
  'The credit rating.': 'Die Bonität.', 'The legal form.': 'Die Rechtsform.', 'The net assets.': 'Das Reinvermögen.',
  'The company that owns the buyer in the end.': 'Die Firma, der der Käufer letztlich gehört.',
  'The age.': 'Das Alter.',
  ['The breed. It is required of a dog, and then one of the published breeds of dogs. The breed of another pet is any '
    + 'text.']:
    'Die Rasse. Ein Hund braucht eine der veröffentlichten Rassen; bei anderen Tieren ist jeder Text möglich.',
  'The kind of animal. A pet policy needs it.': 'Die Tierart. Eine Tierpolice braucht sie.',
  'The name of the pet.': 'Der Name des Tiers.', 'Whether the pet is of pure breed.': 'Ob das Tier reinrassig ist.',
  'The reimbursement.': 'Die Erstattung.',
  'The id of the driver whom the policy covers. The driver\'s licence must not have expired.':
    'Die Kennung des Fahrers, den die Police deckt. Sein Führerschein darf nicht abgelaufen sein.',
  'The premium before deductions.': 'Die Prämie vor Abzügen.',
  'The instant at which the term begins.': 'Wann die Laufzeit beginnt.',
  'The most that the policy pays.': 'Was die Police höchstens zahlt.',
  'The most that the policy pays, above 0.': 'Was die Police höchstens zahlt; mehr als 0.',
  'What the policy insures against. A claim\'s lossCause must be one of them.':
    'Wogegen die Police versichert. Die Ursache eines Schadens muss eine dieser Gefahren sein.',
  'The id of the vehicle that the policy insures.': 'Die Kennung des Fahrzeugs, das die Police versichert.',
  'The id of the business that the policy covers.': 'Die Kennung des Betriebs, den die Police deckt.',
  'What the policy covers. A claim\'s lossCause must be one of them.':
    'Was die Police deckt. Die Ursache eines Schadens muss dazu gehören.',
  'The part of a loss to the building that the policyholder bears.':
    'Was der Versicherungsnehmer von einem Schaden am Gebäude selbst trägt.',
  'The part of a loss to the content that the policyholder bears.':
    'Was der Versicherungsnehmer von einem Schaden am Inhalt selbst trägt.',
  'Whether the sum insured is agreed in advance.': 'Ob die Versicherungssumme vorab vereinbart ist.',
  'The country of the trip, as its ISO 3166-1 numeric code, such as 250.':
    'Das Land der Reise, mit drei Ziffern nach ISO 3166-1, etwa 250.',
  'The cover for medical emergencies.': 'Die Deckung für medizinische Notfälle.',
  'Whether the policy is for a year of trips; false where it is not sent.':
    'Ob die Police für die Reisen eines Jahres ist; ohne Angabe nicht.',
  'Whether the policy covers a group; false where it is not sent.':
    'Ob die Police eine Gruppe deckt; ohne Angabe nicht.',
  ['The length of the trip in days, 1 or more. The operator may set a range for single trips and one for annual '
    + 'policies.']:
    'Die Länge der Reise in Tagen, mindestens 1. Der Betreiber kann sie begrenzen.',
  'The ids of the travellers whom the policy covers. Several need isGroup.':
    'Die Kennungen der Reisenden, die die Police deckt. Mehrere sind eine Gruppe.',
  'The cover for a cancelled trip.': 'Die Deckung für eine abgesagte Reise.',
  'The most credit that is covered, above 0. An endorsement raises or cuts it.':
    'Der höchste gedeckte Kredit, mehr als 0. Ein Nachtrag ändert ihn.',
  'The part of the credit limit that is in use.': 'Der genutzte Teil des Kreditlimits.',
  'The id of the debtor whose payment the policy covers.': 'Die Kennung des Schuldners, dessen Zahlung gedeckt ist.',
  'The longest credit that may be given.': 'Das längste Zahlungsziel, das gewährt werden darf.',
  'The type of trade credit.': 'Die Art des Warenkredits.',
  'The days from a loss to its notification. A claim that comes earlier carries a warning.':
    'Die Tage vom Schaden bis zur Meldung. Ein Schaden, der früher kommt, trägt eine Warnung.',
  'The days from inceptionDate to a loss. A claim for an earlier loss carries a warning.':
    'Die Tage vom Beginn bis zu einem Schaden. Ein früherer Schaden trägt eine Warnung.',
  'The time for which losses are paid, above 0; the name has a capital I.':
    'Wie lange Schäden bezahlt werden; mehr als 0.',
  'The limit for contingency losses.': 'Die Grenze für Folgeschäden.',
  'The part of a loss that the policyholder bears.': 'Was der Versicherungsnehmer von einem Schaden selbst trägt.',
  'The gross profit of a year.': 'Der Rohertrag eines Jahres.',
  'The limit for increased cost of working.': 'Die Grenze für Mehrkosten.',
  'The id of the property that the policy attaches to. One of `propertyRef` and `propertyId` is required.':
    'Die Kennung des Gebäudes, an dem die Police hängt.',
  'The id of the property that the policy attaches to.': 'Die Kennung des Gebäudes, an dem die Police hängt.',
  'The type of business interruption.': 'Die Art der Betriebsunterbrechung.',
  'The type of the document.': 'Die Art des Dokuments.',
  'The type: original, additional, correction or nil.': 'Die Art: erste, Ergänzung, Berichtigung oder ohne Zeilen.',
  'The most that is reimbursed in a year.': 'Was in einem Jahr höchstens erstattet wird.',
  'What the policy reimburses. A claim\'s lossCause must be one of them.':
    'Was die Police erstattet. Die Ursache eines Schadens muss dazu gehören.',
  'The id of the pet that the policy covers.': 'Die Kennung des Tiers, das die Police deckt.',
  'Whether conditions that the pet had before are covered.': 'Ob Leiden gedeckt sind, die das Tier schon hatte.',
  'The kind of claim.': 'Die Art des Schadens.', 'What happened, in words.': 'Was geschehen ist, in Worten.',
  'The addresses (URLs) of the documents of the claim.': 'Die Adressen der Dokumente des Schadens.',
  'The part of the loss that the policyholder bears.': 'Was der Versicherungsnehmer vom Schaden selbst trägt.',
  'The instant of the first notification of loss. Where none is sent it is the instant of the filing.':
    'Wann der Schaden zuerst gemeldet wurde; ohne Angabe jetzt.',
  'The share of the liability.': 'Der Anteil der Haftung.',
  'Where the loss happened, in words.': 'Wo der Schaden geschah, in Worten.',
  'What caused the loss: one of the perils, the scope or the benefits of the policy. A travel policy has no such list.':
    'Was den Schaden verursacht hat: eine der Gefahren oder Leistungen der Police.',
  'The instant of the loss.': 'Wann der Schaden geschah.',
  'How the claim is paid: the method of the last settlement, where there is one.':
    'Wie der Schaden bezahlt wird, oder zuletzt bezahlt wurde.',
  'The instant of the payment, from lossDate until now; now where none is sent.':
    'Wann gezahlt wurde: vom Schadenzeitpunkt bis jetzt; ohne Angabe jetzt.',
  'How the amount is paid.': 'Wie der Betrag bezahlt wird.',
  'How the amount is paid. Needed unless the amount is 0.':
    'Wie der Betrag bezahlt wird; nötig, wenn er nicht 0 ist.',
  'The amount paid, above 0; 0 with a reason.': 'Der gezahlte Betrag: mehr als 0, oder 0 mit einem Grund.',
  'Why the claim is settled so. Needed where the amount is 0: the claim is closed without a payment.':
    'Warum so reguliert wird; nötig, wenn der Betrag 0 ist: der Schaden wird ohne Zahlung geschlossen.',
  'Why the claim is opened again. It is in the history of the claim.':
    'Warum der Schaden wieder geöffnet wird; es steht in seinem Verlauf.',
  'The amount set aside for the claim from now on; what it was where none is sent.':
    'Was von jetzt an für den Schaden zurückgestellt ist; ohne Angabe wie bisher.',
  'How the amount was paid.': 'Wie der Betrag bezahlt wurde.',
  'The amount set aside for the claim, 0 where none is sent.':
    'Was für den Schaden zurückgestellt ist; ohne Angabe 0.',
  'The amount that is given back, from 1 to what is left of the receipt; all that is left where none is sent.':
    'Der Betrag, der erstattet wird: höchstens, was vom Beleg übrig ist; ohne Angabe alles.',
  'The type of the reversing receipt; the one that the operator has set where none is sent.':
    'Die Art des neuen Belegs; ohne Angabe die, die der Betreiber gesetzt hat.',
  'The amount paid, above 0.': 'Der gezahlte Betrag; mehr als 0.',
  'The day of the receipt; the day of its recording where none is sent.':
    'Der Tag des Belegs; ohne Angabe heute.',
  'The type of receipt.': 'Die Art des Belegs.',
  'The type of the endorsement. A policy extension moves expiryDate and the state; the other types leave both.':
    'Die Art des Nachtrags. Eine Verlängerung ändert Ablauf und Status; die anderen lassen beide.',
  ['The instant from which on what changes counts, within the term, and not before that of the last endorsement. '
    + 'Without it, it counts from where the endorsement before it does, else from inceptionDate. A policy extension '
    + 'takes none: it counts from the expiryDate before it.']:
    'Ab wann gilt, was sich ändert: in der Laufzeit und nicht vor dem letzten Nachtrag. Ohne Angabe ab dem letzten '
    + 'Nachtrag oder dem Beginn; eine Verlängerung gilt ab dem bisherigen Ablauf.',
  ['The instant at which cover ends, from inceptionDate, for a policy that is void from the beginning, to expiryDate; '
    + 'now if it is left out, or the end of the term that is nearer. The policy is cancelled at once. A loss from that '
    + 'instant on is not covered, one before it is.']:
    'Wann die Deckung endet: vom Beginn an, dann war nie Deckung, bis zum Ablauf; ohne Angabe jetzt. Gekündigt ist die '
    + 'Police sofort.',
  ['The day from which on counts what the amount is for, such as that of an endorsement. Lines of bordereaux have it '
    + 'in place of receiptDate.']:
    'Ab wann gilt, wofür der Betrag ist; in Bordereaux steht er an Stelle des Belegdatums.',
  ['The number of the policy that this one replaces, such as one that was cancelled. It is given at the creation; the '
    + 'policy that is replaced stays as it is.']:
    'Die Police, die diese ersetzt; sie bleibt, wie sie ist.',
  'The id of the broker that placed the policy: an insuranceEntity record.':
    'Die Kennung des Maklers, der die Police vermittelt hat.',
  'The id of the agent that wrote the policy: an insuranceEntity record.':
    'Die Kennung des Agenten, der die Police gezeichnet hat.',
  'The id of the party that holds the policy: a personal, commercial, insuranceEntity or beneficiary record.':
    'Die Kennung des Versicherungsnehmers.',
  'The reason, in words.': 'Der Grund, in Worten.',
  'The reason, up to 2,000 characters.': 'Der Grund, bis 2.000 Zeichen.',
  'The reason, 1 to 2,000 characters.': 'Der Grund, 1 bis 2.000 Zeichen.',
  ['Whether the new policy has the access list of the policy that it renews. The request then needs an '
    + 'Idempotency-Key. Once the response is a success, the list holds everywhere; after a 503 the same request '
    + 'completes it, and until then the new policy is shown to fewer organisations. It has no effect where '
    + 'organisations do not share the exchange.']:
    'Ob die neue Police mit denselben Organisationen geteilt ist wie die, die sie erneuert.',
  'Holds members of the record. They are returned as members of the record itself.': 'Fasst Angaben zusammen.',
  'The id of the property that the policy insures, where it is one.': 'Die Kennung des versicherten Gebäudes.',
  'The ids of the properties that the policy insures, where they are several.':
    'Die Kennungen der versicherten Gebäude, wo es mehrere sind.',
  'Where the document is.': 'Wo das Dokument liegt.',
  'The URL that events are sent to: https, up to 2,000 characters, without user and fragment.':
    'Die Adresse, an die Ereignisse gehen: https, bis 2.000 Zeichen, ohne Benutzer und Fragment.',
  'The number of the policy that the claim is made against.': 'Die Nummer der Police des Schadens.',
  'What its readers should know, up to 2,000 characters.': 'Was die Leser wissen sollten, bis 2.000 Zeichen.',
  'The reference of the contract.': 'Die Referenz des Vertrags.',
  'The reference of the contract: 1 to 64 letters, digits, points, hyphens and underscores.':
    'Die Referenz des Vertrags: 1 bis 64 Buchstaben, Ziffern, Punkte, Binde- und Unterstriche.',
  'The kind of bordereau: premium or claims, as the columns of the statement say.':
    'Die Art des Bordereaus: Prämien oder Schäden, wie die Spalten der Datei sagen.',
  'The period, such as 2026-01, 2026-Q1 or 2026-02-3M.': 'Der Zeitraum, etwa 2026-01, 2026-Q1 oder 2026-02-3M.',
  'Whether the receipts count as they are now, whatever is approved.':
    'Ob die Belege gelten, wie sie jetzt sind, was immer genehmigt ist.',
  'The id of the statement.': 'Die Kennung der Datei.',
  'Up to which difference amounts are within tolerance, such as "0.05"; "0" without it.':
    'Bis zu welcher Abweichung Beträge gleich gelten, etwa 0.05; ohne Angabe 0.',
  'How many days dates may differ by, 0 to 366.': 'Um wie viele Tage Daten abweichen dürfen, 0 bis 366.',
  ['Whether the decisions of the run whose place it takes are kept where row and record are unchanged. Without it a '
    + 'run that somebody has accepted, disputed or paired by hand something of is not replaced.']:
    'Ob die Entscheidungen des Abgleichs, den dieser ersetzt, bleiben, wo Zeile und Datensatz unverändert sind. Sonst '
    + 'wird ein Abgleich nicht ersetzt, von dem etwas hingenommen, bestritten oder von Hand gepaart ist.',
  ['Where to begin: now, or a cursor of the feed. A new webhook begins now without it; one that is replaced goes on '
    + 'from where it is.']: 'Wo er beginnt: now für jetzt, oder eine Stelle des Verlaufs; ohne Angabe jetzt.',
  ['The secret of the signatures (Standard Webhooks): whsec_ and 24 to 64 bytes in base64. Without it a new webhook '
    + 'gets one, and one that is replaced keeps its own. In place of another secret, both sign for 24 hours.']:
    'Das Geheimnis der Unterschriften: whsec_ und 24 bis 64 Bytes in base64. Ohne Angabe wird eines vergeben.',
  ['The types of events to send, such as exchange.claim.settled, or exchange.claim.* for all of a resource. None '
    + 'stands for all; up to 32.']:
    'Welche Ereignisse gesendet werden, etwa exchange.claim.settled oder exchange.claim.*; ohne Angabe alle.',
  'A cursor of the feed; now for the end of the feed, by which what was not delivered is passed over.':
    'Eine Stelle des Verlaufs; now für sein Ende, wodurch nicht Zugestelltes übergangen wird.',
  'The name of the organisation, as the claim of its tokens has it.':
    'Der Name der Organisation, wie ihre Token ihn nennen.',
  ['What it may do. With read, which each participant has, it sees the policy with its claims, receipts and rows of '
    + 'bordereaux. With claims it also creates and changes claims, and with premium receipts and refunds.']:
    'Was sie darf: die Police sehen, auch Schäden melden und ändern, auch Belege erfassen.',
  // requests
  'The coverage records that meet all conditions, in order of creation': 'Policen suchen',
  'The claim records that meet all conditions, in order of creation': 'Schäden suchen',
  'The personal records that meet all conditions, in order of creation': 'Personen suchen',
  'A policy with what belongs to it': 'Eine Police mit allem, was dazu gehört',
  'What happened to one motorCoverage, oldest first': 'Was mit einer Police geschehen ist',
  'Endorse one motorCoverage': 'Ein Nachtrag zu einer Police', 'Cancel one motorCoverage': 'Eine Police kündigen',
  'Renew one motorCoverage': 'Eine Police erneuern',
  'Share a policy with other organisations, or end that': 'Eine Police mit anderen Organisationen teilen',
  'Create up to 50 records that may refer to each other': 'Bis zu 50 Datensätze auf einmal anlegen',
  'Read one claim': 'Einen Schaden lesen', 'Create one claim': 'Einen Schaden anlegen',
  'Create one receipt': 'Einen Beleg anlegen', 'Add to the documents of one claim': 'Ein Dokument zu einem Schaden',
  'Settle one claim': 'Einen Schaden regulieren', 'Reopen one claim': 'Einen Schaden wieder öffnen',
  'Replace one claim': 'Einen Schaden ändern',
  'The outcome of every check that the creation of a claim with this body would meet; nothing is written':
    'Was die Prüfungen eines neuen Schadens ergäben; nichts wird geschrieben',
  'The work list: the periods of contracts, from the first of each up to the present one':
    'Die Zeiträume der Verträge, bis zum jetzigen',
  'Policies that have receipts or claims and belong to no contract': 'Policen, die kein Vertrag meldet',
  'Assign a policy to a contract, whatever the rules of contracts say': 'Eine Police einem Vertrag zuordnen',
  'A period: its versions, what it would have now, and what differs from what stands approved':
    'Ein Zeitraum: seine Fassungen, und was er jetzt hätte',
  'The lines that a period would have now, in the order in which they were recorded':
    'Die Zeilen, die ein Zeitraum jetzt hätte',
  'Make a version of what is reported for a period': 'Eine Fassung vorbereiten',
  'The lines of a version, in the order in which they were recorded': 'Die Zeilen einer Fassung',
  'Waive an error of a pending version, with a reason': 'Einen Fehler mit einem Grund hinnehmen',
  'Approve a version': 'Eine Fassung genehmigen', 'Reject a pending version': 'Eine Fassung ablehnen',
  'Note that the other side has seen an approved version': 'Eine genehmigte Fassung als gesehen bestätigen',
  'The files that were sent, the newest first': 'Die gesendeten Dateien, die neueste zuerst',
  'The comparisons, the newest first, with their states and how many items came of each':
    'Die Abgleiche, der neueste zuerst',
  'Compare a file with what is reported': 'Eine Datei mit dem Gemeldeten vergleichen',
  'Accept an item that is no pair without a difference': 'Einen Posten annehmen',
  'What happened to the records of the exchange, every version of each as one event, in order':
    'Was mit den Datensätzen geschehen ist, der Reihe nach',
  'Make a webhook, or replace it': 'Einen Webhook anlegen oder ersetzen',
  'The last 20 attempts of a webhook, newest first': 'Die letzten 20 Zustellungen eines Webhooks',
  ['How amounts below 0 are written: minus (-5, with a hyphen or U+2212), trailingMinus (5-), parentheses, '
    + 'debit (5 DR is below 0, 5 CR is not) or credit (the reverse).']:
    'Wie Beträge unter 0 geschrieben sind.',
  'What separates the cells of a row: a comma, semicolon, tab or bar. Needed for csv, and only there.':
    'Was die Zellen einer Zeile trennt. Nur für CSV, und dort erforderlich.',
  ['What groups the digits: ".", ",", "\'" or a space, which may be one that does not break. None without it.']:
    'Was die Ziffern gruppiert. Ohne Angabe nichts.',
  ['The word of the rows that are totals of a page or section, such as Subtotal: of the rows since the one before.']:
    'Das Wort der Zeilen, die Summen einer Seite oder eines Abschnitts sind: der Zeilen seit der Summe davor.',
  ['The number of the row that names the columns, from 1; 0 where no row does, so that columns have numbers.']:
    'Die Nummer der Zeile mit den Namen der Spalten, ab 1; 0, wo keine sie hat: dann haben Spalten Nummern.',
  'What the column amount is: gross, net or settled. Needed with that column.':
    'Was die Spalte Betrag ist. Mit dieser Spalte erforderlich.',
  'The rule: none, last (the last row) or marked (rows with a word in a column).': 'Welche Zeilen Summen sind.',
  'The word, such as Total. Upper and lower case are the same.':
    'Das Wort, etwa Summe. Groß- und Kleinschreibung gelten gleich.',
  ['The forms in which texts are dates, in place of dateOrder: yyyy or yy, mm or m, mmm (the name of a month, '
    + 'English or German, whole or its beginning), dd or d, perhaps hh:mm or hh:mm:ss, and what stands '
    + 'between them, such as dd-mmm-yyyy or yyyymmdd.']:
    'Die Formen, in denen Texte Tage sind, statt der Folge: yyyy oder yy, mm oder m, mmm (Name des Monats), dd '
      + 'oder d, auch hh:mm oder hh:mm:ss, etwa dd.mm.yyyy. Eine in jeder Zeile.',
  'Whether the amounts of the column are taken away from the sum, and not added to it.':
    'Ob die Beträge der Spalte von der Summe abgezogen werden.',
  'What stands for an amount of 0, such as "-" or "nil". Upper and lower case are the same.':
    'Was für den Betrag 0 steht, etwa "-". Eines in jeder Zeile.',
  'The format: csv or xlsx.': 'Das Format der Datei.',
  'Whether the header is the first of the first 50 rows that names all columns. headerRow is 0 then.':
    'Ob die Kopfzeile die erste der ersten 50 Zeilen ist, die alle Spalten nennt. Ihre Nummer ist dann 0.',
  ['What is done with rows that a spreadsheet hides, as by a filter: read, skip or refuse. Without it, a file '
    + 'that has some is refused.']:
    'Was mit Zeilen geschieht, die etwa ein Filter ausblendet. Ohne Angabe wird eine Datei mit solchen abgelehnt.',
  'The place of the sheet among all of the workbook, from 1, in place of its name.':
    'Die Stelle des Blatts unter allen der Arbeitsmappe, ab 1, statt seines Namens.',
  ['What is done with the time of day of a date: cut leaves it out. Without it, such a date is quarantined.']:
    'Was mit der Uhrzeit eines Tages geschieht. Ohne Angabe bleibt er ungelesen.',
  'The order within dates: ymd, dmy or mdy. Without it, only dates such as 2026-04-03 are read.':
    'Die Folge in Tagen. Ohne Angabe werden nur Tage wie 2026-04-03 gelesen.',
  'Of how many rows the header is, 1 or 2; 1 without it. The names of two rows are joined by a space.':
    'Aus wie vielen Zeilen der Kopf ist, 1 oder 2. Die Namen aus zweien trennt ein Leerzeichen.',
  ['The mark before the digits behind the point: "." or ",". Without it, an amount with a mark is quarantined.']:
    'Das Zeichen vor den Nachkommastellen. Ohne Angabe bleibt ein Betrag mit einem Zeichen ungelesen.',
  'Other names of the column.': 'Andere Namen der Spalte, einer in jeder Zeile.',
  'The currency of all rows (ISO 4217). Needed unless a column has it.':
    'Die Währung aller Zeilen (ISO 4217). Erforderlich, wenn keine Spalte sie hat.',
  'The name in the header row, or the number of the column from 1 where no row is the header.':
    'Der Name in der Kopfzeile, oder die Nummer der Spalte ab 1, wo keine Zeile der Kopf ist.',
  ['The encoding: utf-8 (with or without a byte order mark), utf-16 (with one), utf-16le, utf-16be or '
    + 'windows-1252. Needed for csv, and only there.']:
    'Der Zeichensatz. Nur für CSV, und dort erforderlich.',
  ['To how many digits behind the point amounts are rounded, 0 to 4; a half goes away from 0. Without it, an '
    + 'amount with more digits than its currency has is quarantined.']:
    'Auf wie viele Nachkommastellen Beträge gerundet werden, 0 bis 4. Ohne Angabe bleibt ein Betrag mit mehr '
      + 'Stellen ungelesen, als seine Währung hat.',
  ['The meaning: lineId, policyNumber, type, date, currency, amount, gross, commission, brokerage, net or '
    + 'settled. Of a file about claims: lineId, claimNumber, policyNumber, date (of the loss), currency, '
    + 'paid, previouslyPaid, outstanding, incurred, changeOfIncurred (the indemnity) or totalIncurred (with '
    + 'fees), all in the settlement currency. Several columns may mean the same amount, which is their sum. '
    + 'Of a file that is imported: a member of a record, as the profile names the record, such as '
    + 'holder.lastName or vehicle.physical.doors.']:
    'Was die Spalte bedeutet. Mehrere Spalten können derselbe Betrag sein, der dann ihre Summe ist.',
  'Whether a file may lack the column. For files that are imported.':
    'Ob die Spalte in einer Datei fehlen darf. Für Dateien, die importiert werden.',
  ['What the words of the column stand for, such as a value of the exchange. A word that it lacks is '
    + 'quarantined. For files that are imported.']:
    'Was die Wörter der Spalte bedeuten, eines in jeder Zeile, etwa: Pass = passport. Ein Wort, das fehlt, bleibt '
      + 'ungelesen. Für Dateien, die importiert werden.',
  ['The name by which columns and other records of the row name it: 1 to 40 letters, digits and underscores.']:
    'Der Name, unter dem Spalten und andere Datensätze der Zeile ihn nennen, etwa holder.',
  'The files that were sent to be imported, the newest first':
    'Die Dateien, die importiert wurden, die neuesten zuerst',
  'The rows of an import, with what became of each or would': 'Die Zeilen eines Imports, und was aus jeder wurde',
  'Go on to check the rows of an import': 'Die Zeilen eines Imports weiter prüfen',
  'Make the records of the rows that passed the check': 'Die Datensätze der geprüften Zeilen anlegen',
  'The resource of the record, such as personal.': 'Was der Datensatz ist.',
  ['Members that are the same in all rows, by their names with points between them, as a file would have them. '
    + 'A text such as @holder.id stands for the id of another record of the row; so do policyNumber and '
    + 'claimNumber.']:
    'Angaben, die in allen Zeilen gleich sind, eine in jeder Zeile, etwa: policyholderId = @holder.id, was für die '
      + 'Kennung eines anderen Datensatzes der Zeile steht.',
  ['The first year of two digits that belongs to the last century: with 70, 70 is 1970 and 69 is 2069. Needed '
    + 'with a form that has yy.']:
    'Das erste Jahr aus zwei Ziffern, das zum letzten Jahrhundert gehört: Bei 70 ist 70 das Jahr 1970 und 69 '
      + 'das Jahr 2069.',
  'Whether each row of a merged cell of the column has its value. For xlsx, and not for amounts.':
    'Ob jede Zeile einer verbundenen Zelle deren Wert hat. Für Arbeitsmappen, und nicht für Beträge.',
  ['Signs and codes of currencies that may stand before or after an amount and are left out, such as £ and EUR.']:
    'Zeichen und Kürzel von Währungen, die vor oder hinter Beträgen stehen können, etwa £. Eines in jeder Zeile.',
  'The name or number of the column with the word.': 'Name oder Nummer der Spalte mit dem Wort.',
  'The sheet of a workbook; without it the first one that is not hidden.':
    'Das Blatt einer Arbeitsmappe; ohne Angabe das erste, das nicht ausgeblendet ist.',
  ['What the words of the column type mean, as types of receipts such as "new policy". Needed with that '
    + 'column. A word that it lacks is quarantined.']:
    'Was die Wörter der Spalte Art bedeuten, eines in jeder Zeile, etwa: NB = new policy. Ein Wort, das fehlt, '
      + 'bleibt ungelesen.',
  'Make a contract, or replace it': 'Einen Vertrag anlegen oder ändern',
  'The name of the administrator of the claims.': 'Wer die Schäden bearbeitet.',
  ['The currency of the amounts of receipts, policies and claims: an ISO 4217 code or, for business in run-off, one '
    + 'that was withdrawn since 2000.']: 'Die Währung der Beträge von Belegen, Policen und Schäden, nach ISO 4217; für '
    + 'auslaufendes Geschäft auch eine, die es seit 2000 nicht mehr gibt.',
  ['A policy belongs to the contract if its term began on this day or later; the day of inception without it. What '
    + 'counts is the inceptionDate with which the policy was first recorded.']: 'Zum Vertrag gehören Policen, die an '
    + 'diesem Tag oder später beginnen, wie sie zuerst erfasst wurden; sonst ab dem ersten Tag des Vertrags.',
  'A policy belongs to the contract if its term began before this day; the day of expiry without it.':
    'Zum Vertrag gehören Policen, die vor diesem Tag beginnen; sonst vor dem Ende des Vertrags.',
  'The day on which the term ends; it is no longer part of the term.':
    'Der Tag, an dem der Vertrag endet; er gehört nicht mehr dazu.',
  'The first day of the term.': 'Der erste Tag des Vertrags.',
  'The currency of the amount (ISO 4217).': 'Die Währung des Betrags (ISO 4217).',
  'The risk code.': 'Der Risikoschlüssel.', 'The class of business.': 'Die Sparte nach dem Vertrag.',
  'The type of insurance.': 'Die Art der Versicherung.', 'The section of the contract.': 'Der Abschnitt des Vertrags.',
  'Which claims are reported: open, or all; open without it.': 'Welche Schäden gemeldet werden; sonst die offenen.',
  'The lines whose policies belong to the contract, as resources such as motorCoverage.':
    'Die Sparten, deren Policen zum Vertrag gehören.',
  ['Whether a counterparty that is an organisation of the exchange also sees what is not approved yet: versions that '
    + 'are pending or rejected, and what a period would have now.']: 'Ob eine Gegenseite, die selbst an der Plattform '
    + 'teilnimmt, auch sieht, was noch nicht genehmigt ist.',
  ['The other side, which checks what is reported. Where organisations share the exchange, the name of one of them: it '
    + 'reads the contract and what is reported under it, and acknowledges.']: 'Die Gegenseite, die das Gemeldete '
    + 'prüft. Teilen sich Organisationen die Plattform, der Name einer von ihnen.',
  'The brokerage as a percentage of the premium, "0" to "100"; "0" without it.':
    'Die Courtage in Prozent der Prämie, 0 bis 100; sonst 0.',
  'The commission of the coverholder as a percentage of the premium, "0" to "100"; "0" without it.':
    'Die Provision in Prozent der Prämie, 0 bis 100; sonst 0.',
  ['The taxes as a percentage of the premium, "-100" to "100": above 0 where they are added to what is settled, below '
    + '0 where they are taken off. Without it nothing is said about taxes.']: 'Die Steuern in Prozent der Prämie, '
    + '-100 bis 100: über 0, wenn sie hinzukommen, unter 0, wenn sie abgehen. Ohne Angabe werden keine genannt.',
  'The currency that is settled in, as currency has it; currency without it.':
    'Die Währung der Abrechnung; sonst die der Beträge.',
  'The amount, in major units.': 'Der Betrag, in ganzen Einheiten.',
  ['The time zone in which the days of the contract, its periods and the days in its exports are counted: UTC, or '
    + 'a name of the IANA database such as Europe/Paris. Without it that which the contract has, and the exchange\'s '
    + 'for a new one. It stays once a bordereau is approved.']: 'Die Zeitzone, in der die Tage des Vertrags und seine '
    + 'Zeiträume gezählt werden: UTC, oder etwa Europe/Berlin; sonst die der Plattform.',
  'The unique market reference of the contract. A contract needs this or agreementNumber.':
    'Die Referenz des Vertrags im Markt. Nötig ist diese oder die Nummer der Vereinbarung.',
  'The number of the agreement. A contract needs this or uniqueMarketReference.':
    'Die Nummer der Vereinbarung. Nötig ist diese oder die Referenz des Vertrags im Markt.',
  'How often is reported: month or quarter.': 'Wie oft gemeldet wird.',
  ['How many days after the end of a period its bordereau is due, 0 to 366: with 0 on the last day of the period; 30 '
    + 'without it.']: 'Wie viele Tage nach dem Ende eines Zeitraums das Bordereau fällig ist, 0 bis 366; sonst 30.',
  'What the limit is called.': 'Wie das Limit heißt.',
  ['Where quarters begin: calendar, in January, April, July and October; or inception, in the month of inception and '
    + 'each third one after it. Such a quarter is named by its first month, as 2026-02-3M. calendar without it. It '
    + 'stays once a bordereau is approved.']: 'Wo Quartale beginnen: mit dem Kalender, oder mit dem Monat, in dem der '
    + 'Vertrag beginnt. Ein solches Quartal heißt nach seinem ersten Monat, wie 2026-02-3M; sonst mit dem Kalender.',
  ['Who signs off: two (one prepares, another one approves) or one; two without it. A version is signed off by two if '
    + 'the contract has said so at any time since the version approved before it.']: 'Wer genehmigt: zwei Personen '
    + '(eine bereitet vor, eine andere genehmigt) oder eine; sonst zwei.',
  'The name of the coverholder who reports.': 'Der Zeichnungsbevollmächtigte, der meldet.',
  'The unit of these amounts: major for euros, minor for cents.':
    'Die Einheit dieser Beträge: ganze wie Euro, kleinste wie Cent.',
  'The PIN of the coverholder: six digits and three capital letters.':
    'Die PIN des Zeichnungsbevollmächtigten: sechs Ziffern und drei Großbuchstaben.',
  ['The first period that is reported, such as 2026-01, 2026-Q1 or 2026-02-3M. What was recorded earlier is reported '
    + 'in it, as late.']: 'Der erste Zeitraum, der gemeldet wird, wie 2026-01 oder 2026-Q1. Was früher erfasst wurde, '
    + 'steht in ihm, als verspätet.',
  'The reference of the treaty under which the premium is ceded.': 'Die Referenz des Rückversicherungsvertrags.',
  'The year of account, 1900 to 9999; that of inception without it.':
    'Das Zeichnungsjahr, 1900 bis 9999; sonst das Jahr, in dem der Vertrag beginnt.',
  ['The rate of exchange: how many units of currency are one of settlementCurrency, such as "1.22". It is "1" '
    + 'where both are the same, and needed where they are not.']: 'Der Kurs: wie viele Einheiten der Beträge eine der '
    + 'Abrechnung sind, wie 1,22. Er ist 1, wo beide Währungen gleich sind, und sonst nötig.',
  'The number of instalments of the premium.': 'Die Zahl der Raten der Prämie.',
};

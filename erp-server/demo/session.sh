BASE=@BASE@
# log in
TOKEN=$(curl -s -X POST -u 'shop1:@SHOP_PASSWORD@' $BASE/www/token | sed 's/.*"access_token":"\([^"]*\)".*/\1/')
# articles with the prices and in the language of customer 10007
curl -s -H "Authorization: Bearer $TOKEN" "$BASE/www/artikel?debinr=10007&limit=3&fields=ArtNr,ArtBez,HatVPE,Preis,Verpackungen"; echo
# one article with its declarations
curl -s -H "Authorization: Bearer $TOKEN" "$BASE/www/artikel/LM-3001?adrsprache=ger"; echo
# its media: a picture with a German text, a French text, a drawing
MEDIEN=$(curl -s -H "Authorization: Bearer $TOKEN" $BASE/www/artikelmedia/LM-3001); echo "$MEDIEN"
# save the picture, and read a text
BILD=$(echo "$MEDIEN" | sed 's/.*"IDKey":\([0-9]*\),"AMDBildFormat":"png".*/\1/')
curl -s -o lm-3001.png -w 'lm-3001.png: %{http_code} %{content_type}, %{size_download} bytes\n' -H "Authorization: Bearer $TOKEN" "$BASE/www/artikelmediadaten/$BILD?type=Bild"
curl -s -D - -o /dev/null -H "Authorization: Bearer $TOKEN" "$BASE/www/artikelmediadaten/$BILD?type=Text" | grep -i '^content-type'
# a new customer
KUNDE=$(curl -s -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json; charset=utf-8' $BASE/www/kunden -d '{
  "GrundDaten": {"AdrSprache": "ger", "WaehrAbk": "CHF", "FAKTZahlArt": "B", "ZahlungsMethode": "K,R"},
  "Adressen": {"KontaktAdr": {"AdrSprache": "ger", "AdrAnrede": 2, "AdrVorname": "Zoë", "AdrName": "Müller-Größ",
    "AdrAdresse1": "Bärengasse 5", "OrtLand": "CH", "OrtPLZ": "8001", "OrtName": "Zürich"}}}' | sed 's/.*"DebiNr":"\([0-9]*\)".*/\1/')
echo "customer $KUNDE"
# an order of three positions, the second in cartons
AUFTRAG=$(curl -s -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json; charset=utf-8' $BASE/www/auftrag -d '{
  "GrundDaten": {"KundNr": "'$KUNDE'", "AuftBez": "Bestellung für das Büro", "AuftLiefKost": 9.90},
  "Positionen": [
    {"ArtNr": "BU-1002", "Menge": 12},
    {"ArtNr": "BU-1001", "Menge": 10, "VPEinheit": "KARTON", "GRabSatz": 5},
    {"ArtNr": "LM-3001", "Menge": 4, "PosBez": "Kaffee für die Küche"}],
  "Zahlung": [{"Bezeichnung": "payment_method", "Wert": "R"}]}' | sed 's/.*"AuftNr":"\([0-9]*\)".*/\1/')
echo "order $AUFTRAG"
# read it back
curl -s -H "Authorization: Bearer $TOKEN" $BASE/www/auftrag/$AUFTRAG; echo
# a template offer: no customer yet, the prices of the company's list
OFFERTE=$(curl -s -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' $BASE/www/offerte -d '{
  "Positionen": [{"ArtNr": "BU-1001", "Menge": 3}, {"ArtNr": "LM-3001", "Menge": 2}]}' | sed 's/.*"OffertNr":"\([0-9]*\)".*/\1/')
echo "offer $OFFERTE"
# change its first position, delete the second, add a third
curl -s -X PATCH -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' "$BASE/www/offerte?OffertNr=$OFFERTE" -d '{
  "Positionen": [{"PosNr": 1, "Menge": 10}, {"PosNr": 2, "Menge": 0}, {"ArtNr": "BU-1002", "Menge": 4, "GRabSatz": 10}]}'; echo
# give it to the customer, whom it fits
curl -s -X PATCH -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' "$BASE/www/offerte?OffertNr=$OFFERTE&KundNr=$KUNDE" -d '{}'; echo
# and turn it into an order
BESTELLT=$(curl -s -X PUT -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' $BASE/www/auftrag -d '{
  "GrundDaten": {"KundNr": "'$KUNDE'", "OffertNr": "'$OFFERTE'"},
  "Zahlung": [{"Bezeichnung": "TransID", "Wert": "tx-1"}]}' | sed 's/.*"AuftNr":"\([0-9]*\)".*/\1/')
echo "order $BESTELLT of offer $OFFERTE"
# find a customer by an address, change that address and read it back
ADRESSE=$(curl -s -H "Authorization: Bearer $TOKEN" "$BASE/www/adressensuche?EmailAdress=einkauf@elektroblitz.example.ch" | sed 's/.*"KundKontakt":\([0-9]*\).*/\1/')
echo "address $ADRESSE"
curl -s -o /dev/null -w '%{http_code}\n' -X PATCH -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' $BASE/www/adressen/$ADRESSE -d '{
  "AdrFirma2": "Einkauf", "AdrTf1": "+41 31 000 00 99"}'
curl -s -H "Authorization: Bearer $TOKEN" $BASE/www/adressen/$ADRESSE; echo
# the same order sent twice under one key: one order
for TRY in 1 2; do
  curl -s -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' -H "Idempotency-Key: after-$AUFTRAG" $BASE/www/auftrag -d '{
    "GrundDaten": {"KundNr": "'$KUNDE'"}, "Positionen": [{"ArtNr": "BU-1002", "Menge": 1}]}' | sed 's/.*"AuftNr":"\([0-9]*\)".*/order \1/'; echo
done
# delete the log files, which only an admin may
ADMIN=$(curl -s -X POST -u 'admin:@ADMIN_PASSWORD@' $BASE/www/token | sed 's/.*"access_token":"\([^"]*\)".*/\1/')
curl -s -o /dev/null -w '%{http_code}\n' -X DELETE -H "Authorization: Bearer $ADMIN" $BASE/www/log

BASE=@BASE@
# log in
TOKEN=$(curl -s -X POST -u 'shop1:@SHOP_PASSWORD@' $BASE/www/token | sed 's/.*"access_token":"\([^"]*\)".*/\1/')
# articles with the prices and in the language of customer 10007
curl -s -H "Authorization: Bearer $TOKEN" "$BASE/www/artikel?debinr=10007&limit=3&fields=ArtNr,ArtBez,HatVPE,Preis,Verpackungen"; echo
# one article with its declarations
curl -s -H "Authorization: Bearer $TOKEN" "$BASE/www/artikel/LM-3001?adrsprache=ger"; echo
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
# delete the log files, which only an admin may
ADMIN=$(curl -s -X POST -u 'admin:@ADMIN_PASSWORD@' $BASE/www/token | sed 's/.*"access_token":"\([^"]*\)".*/\1/')
curl -s -o /dev/null -w '%{http_code}\n' -X DELETE -H "Authorization: Bearer $ADMIN" $BASE/www/log

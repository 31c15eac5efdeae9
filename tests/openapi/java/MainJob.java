import ch.erp.ApiClient;
import ch.erp.ApiException;
import ch.erp.api.AdministrationApi;
import ch.erp.api.AdressenApi;
import ch.erp.api.ArtikelApi;
import ch.erp.api.ArtikelmediaApi;
import ch.erp.api.AuftragApi;
import ch.erp.api.KundenApi;
import ch.erp.api.OfferteApi;
import ch.erp.api.TokenApi;
import ch.erp.api.ZugferdApi;
import ch.erp.model.*;
import java.io.File;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The main job of a shop and its admin, with the client that openapi-generator generates for Java. */
public final class MainJob {
    private interface Call {
        void run() throws ApiException;
    }

    private static String setting(String name) {
        String value = System.getenv(name);
        check(value != null, name + " is not set");
        return value;
    }

    private static void check(boolean holds, Object what) {
        if (!holds) {
            throw new AssertionError(what);
        }
    }

    private static void equal(Object found, Object expected) {
        check(found.equals(expected), found + " instead of " + expected);
    }

    private static ApiClient client(String authorization) {
        ApiClient client = new ApiClient();
        client.updateBaseUri(setting("ERP_URL"));
        client.setRequestInterceptor(request -> request.header("Authorization", authorization));
        return client;
    }

    private static ApiClient login(String user, String password) throws ApiException {
        byte[] pair = (user + ":" + password).getBytes(StandardCharsets.UTF_8);
        ApiClient open = client("Basic " + Base64.getEncoder().encodeToString(pair));
        TokenAnswer token = new TokenApi(open).createToken(null);
        equal(token.getExpiresIn(), 3600);
        return client("Bearer " + token.getAccessToken());
    }

    private static ApiException refused(int status, Call call) {
        try {
            call.run();
        } catch (ApiException error) {
            equal(error.getCode(), status);
            return error;
        }
        throw new AssertionError("not refused with " + status);
    }

    private static void articles(ApiClient shop) throws ApiException, IOException {
        ArtikelApi articles = new ArtikelApi(shop);
        ListArticles200Response page = articles.listArticles(null, "10007", "ger", 2, 2, null, "-ArtNr", null, null, null, null, null);
        equal(page.getData().size(), 2);
        SingleArticle article = articles.readArticle("LM-3001", "CHF", null, "ger").getData();
        equal(article.getVerpackungen().get(0).getPreis().get(0).getPreisList(), new BigDecimal("18.9"));
        ArtikelmediaApi media = new ArtikelmediaApi(shop);
        MediaRecord picture = media.listMedia("LM-3001").getData().stream()
                .filter(record -> "png".equals(record.getAmDBildFormat()))
                .findFirst()
                .orElseThrow();
        File file = media.readMedia(picture.getIdKey(), "Bild", null, null, null, null);
        byte[] bytes = Files.readAllBytes(file.toPath());
        equal(new String(bytes, 1, 3, StandardCharsets.US_ASCII), "PNG");
        check(file.delete(), file);
    }

    /** Keeps a copy of the articles: reads all once, and later only what has changed. */
    private static String sync(ApiClient shop, Map<String, Article> copy, String stand) throws ApiException {
        ArtikelApi articles = new ArtikelApi(shop);
        ListArticles200Response changes;
        try {
            changes = articles.listArticles(null, null, null, null, null, null, null, null, null, null, stand, null);
        } catch (ApiException error) {
            if (error.getCode() != 410) throw error;
            // The mark is too old, or everything has changed.
            copy.clear();
            return sync(shop, copy, "");
        }
        for (Article article : changes.getData()) copy.put(article.getArtNr(), article);
        for (String number : changes.getEntfernt()) copy.remove(number);
        return changes.getStand();
    }

    private static String customer(ApiClient shop) throws ApiException {
        AddressBody address = new AddressBody()
                .adrSprache("ger")
                .adrAnrede(2)
                .adrVorname("Zoë")
                .adrName("Müller-Größ")
                .adrAdresse1("Bärengasse 5")
                .ortLand("CH")
                .ortPLZ("8001")
                .ortName("zuerich");
        CustomerBody body = new CustomerBody()
                .grundDaten(new CustomerBodyHeader().waehrAbk("CHF").faKTZahlArt("B"))
                .adressen(new CustomerAddressesBody().kontaktAdr(address));
        KundenApi customers = new KundenApi(shop);
        String number = customers.createCustomer(body, null).getData().getDebiNr();
        equal(customers.readCustomer(number, null, null).getData().getWaehrAbk(), "CHF");
        return number;
    }

    private static void order(ApiClient shop, String customer) throws ApiException {
        OrderBody body = new OrderBody()
                .grundDaten(new OrderBodyHeader()
                        .kundNr(customer)
                        .auftBez("Bestellung für das Büro")
                        .auftLiefKost(new BigDecimal("9.9")))
                .positionen(List.of(
                        new PositionBody().artNr("BU-1002").menge(new BigDecimal(12)),
                        new PositionBody()
                                .artNr("BU-1001")
                                .menge(BigDecimal.TEN)
                                .vpEinheit("KARTON")
                                .grabSatz(new BigDecimal(5)),
                        new PositionBody()
                                .artNr("LM-3001")
                                .menge(new BigDecimal(4))
                                .posBez("Kaffee für die Küche")))
                .zahlung(List.of(new PaymentBody().bezeichnung("payment_method").wert("R")));
        AuftragApi orders = new AuftragApi(shop);
        String first = orders.createOrder(body, "java-" + customer).getData().getAuftNr();
        String again = orders.createOrder(body, "java-" + customer).getData().getAuftNr();
        equal(again, first);
        OrderHeader header = orders.readOrder(first).getData().getGrundDaten();
        equal(header.getAuftNetto(), new BigDecimal("203.25"));
        equal(header.getAuftWUST(), new BigDecimal("12.1"));
        equal(header.getAuftBrutto(), new BigDecimal("215.35"));
    }

    private static void offer(ApiClient shop, String customer) throws ApiException {
        OfferteApi offers = new OfferteApi(shop);
        OfferBody body = new OfferBody().positionen(List.of(
                new OfferPositionBody().artNr("BU-1001").menge(new BigDecimal(3)),
                new OfferPositionBody().artNr("LM-3001").menge(new BigDecimal(2))));
        String number = offers.createOffer(body, null).getData().getOffertNr();
        Offer given = offers.changeOffer(number, customer, null, null, new OfferChangeBody()).getData();
        equal(given.getGrundDaten().getTemplate(), false);
        ConversionBody conversion = new ConversionBody()
                .grundDaten(new ConversionBodyHeader().kundNr(customer).offertNr(number));
        AuftragApi orders = new AuftragApi(shop);
        String order = orders.convertOffer(conversion, null, null).getData().getAuftNr();
        OrderHeader header = orders.readOrder(order).getData().getGrundDaten();
        equal(header.getAuftBrutto(), given.getGrundDaten().getAuftBrutto());
    }

    private static void addresses(ApiClient shop) throws ApiException {
        AdressenApi addresses = new AdressenApi(shop);
        String email = "einkauf@elektroblitz.example.ch";
        Integer number = addresses
                .findCustomer(
                        email, null, null, null, null, null, null, null, null, null, null, null, null, null, null)
                .getData()
                .getKundKontakt();
        addresses.changeAddress(number, new AddressPatchBody().adrFirma2("Einkauf"), null, null);
        equal(addresses.readAddress(number).getData().getAdrFirma2(), "Einkauf");
    }

    private static byte[] run(ZugferdApi invoices, ZugferdBody body) throws ApiException, IOException {
        File file = invoices.processInvoice(body, null);
        byte[] bytes = Files.readAllBytes(file.toPath());
        check(file.delete(), file);
        return bytes;
    }

    private static void invoices(ApiClient shop) throws ApiException, IOException {
        ZugferdApi invoices = new ZugferdApi(shop);
        Path fixtures = Path.of(setting("ERP_FIXTURES"));
        Base64.Encoder base64 = Base64.getEncoder();
        String hybrid = base64.encodeToString(Files.readAllBytes(fixtures.resolve("hybrid-facturx-en16931.pdf")));
        String plain = base64.encodeToString(Files.readAllBytes(fixtures.resolve("a3b.pdf")));
        ZugferdBody extract = new ZugferdBody().operation(ZugferdBody.OperationEnum.EXTRACT);
        byte[] xml = run(invoices, extract.PDF(hybrid));
        check(new String(xml, StandardCharsets.UTF_8).contains("CrossIndustryInvoice"), "an invoice");
        ZugferdBody combine = new ZugferdBody()
                .operation(ZugferdBody.OperationEnum.COMBINE)
                .PDF(plain)
                .XML(base64.encodeToString(xml));
        byte[] combined = run(invoices, combine);
        check(Arrays.equals(run(invoices, extract.PDF(base64.encodeToString(combined))), xml), "the same XML");
        refused(400, () -> invoices.processInvoice(extract.PDF(plain), null));
    }

    private static void refusals(ApiClient shop) throws IOException {
        OrderBody body = new OrderBody()
                .grundDaten(new OrderBodyHeader().kundNr("10007"))
                .positionen(List.of(new PositionBody().artNr("NO-SUCH").menge(new BigDecimal(-1))));
        ApiException error = refused(422, () -> new AuftragApi(shop).createOrder(body, null));
        ErrorBody told = shop.getObjectMapper().readValue(error.getResponseBody(), ErrorBody.class);
        List<ProblemEntry> problems = told.getInfo().getProblems();
        check(problems.stream().anyMatch(problem -> problem.getPath().equals("Positionen[0].Menge")), problems);
    }

    private static void administration(ApiClient admin) throws ApiException, IOException {
        AdministrationApi administration = new AdministrationApi(admin);
        String row = "{\"Artikel\": {\"ArtNr\": \"JAVA-1\", \"ArtBez\": \"Aus Java, größer\", \"AnLager\": \"J\"}}\n";
        equal(administration.importMasterData(null, "true", null, row).getData().getAdded(), 1L);
        equal(administration.importMasterData(null, null, null, row).getData().getAdded(), 1L);
        equal(administration.importMasterData(null, null, null, row).getData().getUnchanged(), 1L);
        File lines = administration.exportData(null, null, null);
        check(Files.readString(lines.toPath()).contains("JAVA-1"), "the export has the article");
        check(lines.delete(), lines);
        File backup = administration.createBackup();
        equal(Files.readAllBytes(backup.toPath())[0], (byte) 0x1f);
        check(backup.delete(), backup);
        administration.deleteLog();
    }

    public static void main(String[] arguments) throws Exception {
        ApiClient shop = login("shop1", setting("ERP_SHOP_PASSWORD"));
        articles(shop);
        Map<String, Article> copy = new TreeMap<>();
        String stand = sync(shop, copy, "");
        equal(copy.size(), 71);
        String number = customer(shop);
        order(shop, number);
        check(!sync(shop, copy, stand).equals(stand), "an order changes the stock of articles");
        equal(copy.size(), 71);
        offer(shop, number);
        addresses(shop);
        invoices(shop);
        refusals(shop);
        refused(403, () -> new AdministrationApi(shop).deleteLog());
        administration(login("admin", setting("ERP_ADMIN_PASSWORD")));
        new TokenApi(shop).revokeToken();
        refused(401, () -> new ArtikelApi(shop).readArticle("LM-3001", null, null, null));
        System.out.println("the Java client did the main job");
    }
}

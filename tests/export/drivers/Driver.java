import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Reads rows and writes what each model says of them: java Driver N_MODELS. */
public final class Driver {
    private Driver() {}

    static byte[] bytes(String hex) {
        byte[] all = new byte[hex.length() / 2];
        for (int i = 0; i < all.length; i++) {
            all[i] = (byte) Integer.parseInt(hex.substring(2 * i, 2 * i + 2), 16);
        }
        return all;
    }

    static Instant instant(String micros) {
        return Instant.EPOCH.plus(Long.parseLong(micros), ChronoUnit.MICROS);
    }

    static Object cell(String token) {
        String rest = token.substring(1);
        switch (token.charAt(0)) {
            case 'n':
                return Double.longBitsToDouble(Long.parseUnsignedLong(rest, 16));
            case 'm':
                return LocalDateTime.ofInstant(instant(rest), ZoneOffset.UTC);
            case 'z':
                return instant(rest);
            case 'h':
                return LocalTime.ofNanoOfDay(Long.parseLong(rest) * 1000);
            case 'd':
                return Duration.of(Long.parseLong(rest), ChronoUnit.MICROS);
            case 'b':
                return rest.equals("1");
            case 't':
                return new String(bytes(rest), StandardCharsets.UTF_8);
            default:
                return null;
        }
    }

    static Object[] cells(String line) {
        String[] tokens = line.isEmpty() ? new String[0] : line.split(" ");
        Object[] all = new Object[tokens.length];
        for (int i = 0; i < all.length; i++) {
            all[i] = cell(tokens[i]);
        }
        return all;
    }

    /** Writes what one model says. */
    public static void main(String[] arguments) throws Exception {
        for (int i = 0; i < Integer.parseInt(arguments[0]); i++) {
            Class<?> model = Class.forName("Model" + i);
            Method proba = model.getMethod("predictProba", Map.class);
            Method predict = model.getMethod("predict", Map.class);
            List<String> lines = Files.readAllLines(Paths.get("rows_" + i + ".txt"));
            Object[] names = cells(lines.get(0));
            StringBuilder said = new StringBuilder();
            for (String line : lines.subList(1, lines.size())) {
                Object[] own = cells(line);
                Map<String, Object> row = new HashMap<>();
                for (int k = 0; k < names.length; k++) {
                    row.put((String) names[k], own[k]);
                }
                for (double p : (double[]) proba.invoke(null, row)) {
                    said.append(String.format("%016x ", Double.doubleToRawLongBits(p)));
                }
                said.append("t");
                byte[] label = predict.invoke(null, row).toString().getBytes(StandardCharsets.UTF_8);
                for (byte sign : label) {
                    said.append(String.format("%02x", sign));
                }
                said.append("\n");
            }
            Files.write(Paths.get("out_" + i + ".txt"), said.toString().getBytes("ASCII"));
        }
    }
}

package javax.annotation;

/** Marks generated code. Java has not included it since version 9; projects get it from a package. */
public @interface Generated {
    String[] value();

    String date() default "";

    String comments() default "";
}

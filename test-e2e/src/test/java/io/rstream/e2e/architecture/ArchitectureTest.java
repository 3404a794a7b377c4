package io.rstream.e2e.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.simpleNameEndingWith;
import static com.tngtech.archunit.lang.conditions.ArchPredicates.are;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noFields;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.util.Set;

/** What the modules that users run keep to: the rules of docs/architecture.md that a machine can check. */
@AnalyzeClasses(
        packages = "io.rstream",
        importOptions = {ImportOption.DoNotIncludeTests.class, ArchitectureTest.Shipped.class})
class ArchitectureTest {

    /** Leaves out the modules that only test. */
    static final class Shipped implements ImportOption {
        @Override
        public boolean includes(com.tngtech.archunit.core.importer.Location location) {
            return !location.contains("io/rstream/e2e/") && !location.contains("io/rstream/testcluster/");
        }
    }

    private static final String GENERATED = "io.rstream.protocol.wire..";

    // --- who may know whom ---

    @ArchTest
    static final ArchRule processKnowsNoOtherModule = noClasses()
            .that()
            .resideInAPackage("io.rstream.process..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "io.rstream.api..",
                    "io.rstream.protocol..",
                    "io.rstream.agent..",
                    "io.rstream.engine..",
                    "io.rstream.operator..");

    @ArchTest
    static final ArchRule protocolKnowsNettyAndProtobufOnly = noClasses()
            .that()
            .resideInAPackage("io.rstream.protocol..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "io.fabric8..",
                    "com.fasterxml..",
                    "picocli..",
                    "io.vertx..",
                    "io.javaoperatorsdk..",
                    "io.rstream.process..",
                    "io.rstream.api..");

    @ArchTest
    static final ArchRule apiKnowsTheModelAndNoClient = noClasses()
            .that()
            .resideInAPackage("io.rstream.api..")
            .should()
            .dependOnClassesThat(resideInAnyPackage("io.fabric8.kubernetes.client..")
                    .and(not(resideInAPackage("io.fabric8.kubernetes.client")))
                    .and(not(resideInAPackage("io.fabric8.kubernetes.client.utils.."))))
            .orShould()
            .dependOnClassesThat()
            .haveFullyQualifiedName("io.fabric8.kubernetes.client.KubernetesClient");

    @ArchTest
    static final ArchRule agentAndEngineKnowNoKubernetesLibrary = noClasses()
            .that()
            .resideInAnyPackage("io.rstream.agent..", "io.rstream.engine..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.fabric8..", "io.javaoperatorsdk..", "io.rstream.api..", "io.rstream.operator..");

    @ArchTest
    static final ArchRule agentAndEngineDoNotKnowEachOther = noClasses()
            .that()
            .resideInAPackage("io.rstream.agent..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.rstream.engine..");

    @ArchTest
    static final ArchRule engineDoesNotKnowTheAgent = noClasses()
            .that()
            .resideInAPackage("io.rstream.engine..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.rstream.agent..");

    @ArchTest
    static final ArchRule operatorTouchesOnlyTheAgentsConfigPackage = noClasses()
            .that()
            .resideInAPackage("io.rstream.operator..")
            .should()
            .dependOnClassesThat(
                    resideInAPackage("io.rstream.agent..").and(not(resideInAPackage("io.rstream.agent.config.."))))
            .orShould()
            .dependOnClassesThat()
            .resideInAnyPackage("io.rstream.protocol..", "io.rstream.engine..", "io.netty..");

    @ArchTest
    static final ArchRule josdkAppearsOnlyInTheOperator = noClasses()
            .that()
            .resideOutsideOfPackage("io.rstream.operator..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.javaoperatorsdk..");

    @ArchTest
    static final ArchRule generatedClassesAreUsedByTheCodecAlone = noClasses()
            .that(are(not(resideInAPackage(GENERATED))).and(not(nested("io.rstream.protocol.MessageCodec"))))
            .should()
            .dependOnClassesThat()
            .resideInAPackage(GENERATED);

    // --- habits ---

    @ArchTest
    static final ArchRule onlyMainClassesReadTheProcessAroundThem = noClasses()
            .that(are(not(simpleNameEndingWith("Main")))
                    .and(not(nestedInMain()))
                    .and(not(resideInAPackage("io.rstream.process.."))))
            .should()
            .callMethod(System.class, "getenv")
            .orShould()
            .callMethod(System.class, "getenv", String.class)
            .orShould()
            .callMethod(System.class, "getProperty", String.class)
            .orShould()
            .callMethod(System.class, "getProperty", String.class, String.class)
            .orShould()
            .callMethod(System.class, "exit", int.class)
            .orShould()
            .callMethod(Runtime.class, "exit", int.class)
            .orShould()
            .callMethod(Runtime.class, "halt", int.class);

    @ArchTest
    static final ArchRule pureClassesHaveNoClientClockThreadOrLogger = noClasses()
            .that(are(pure()))
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("org.slf4j..", "java.net.http..", "io.netty.channel..", "java.util.concurrent")
            .orShould()
            .dependOnClassesThat()
            .belongToAnyOf(Thread.class, java.time.Clock.class)
            .orShould()
            .dependOnClassesThat()
            .haveFullyQualifiedName("io.fabric8.kubernetes.client.KubernetesClient");

    @ArchTest
    static final ArchRule handlersNeverBlock =
            classes().that(are(assignableTo("io.netty.channel.ChannelHandler"))).should(notCallBlockingMethods());

    @ArchTest
    static final ArchRule packagesHaveNoCycles =
            slices().matching("io.rstream.(**)").should().beFreeOfCycles();

    @ArchTest
    static final ArchRule theRootPackageStaysEmpty =
            noClasses().should().resideInAPackage("io.rstream").because("it belongs to the official SDK");

    @ArchTest
    static final ArchRule namesSayWhatAClassIs = noClasses()
            .that()
            .resideOutsideOfPackage(GENERATED)
            .should()
            .haveNameMatching(".*(Util|Utils|Helper|Helpers|Manager|Impl|Base|Common)");

    @ArchTest
    static final ArchRule loggersArePrivateStaticFinalLog = fields().that()
            .haveRawType("org.slf4j.Logger")
            .should()
            .bePrivate()
            .andShould()
            .beStatic()
            .andShould()
            .beFinal()
            .andShould()
            .haveName("log");

    @ArchTest
    static final ArchRule nothingIsPrintedOutsideOfMain = noClasses()
            .that(are(not(simpleNameEndingWith("Main")))
                    .and(not(nestedInMain()))
                    .and(not(belongToAnyOf(io.rstream.process.JsonLog.class))))
            .should()
            .accessField(System.class, "out")
            .orShould()
            .accessField(System.class, "err")
            .orShould()
            .callMethod(Throwable.class, "printStackTrace");

    @ArchTest
    static final ArchRule noPublicFieldCanBeReassigned = noFields()
            .that()
            .areDeclaredInClassesThat()
            .resideOutsideOfPackage(GENERATED)
            .and()
            .areStatic()
            .and()
            .areNotFinal()
            .should()
            .bePublic()
            .allowEmptyShould(true);

    @ArchTest
    static void everyPackageIsNullMarked(JavaClasses shipped) {
        classes().should(resideInANullMarkedPackage()).check(shipped);
    }

    private static DescribedPredicate<JavaClass> nested(String name) {
        return DescribedPredicate.describe(
                "are " + name + " or nested in it",
                type -> type.getName().equals(name) || type.getName().startsWith(name + "$"));
    }

    private static DescribedPredicate<JavaClass> nestedInMain() {
        return DescribedPredicate.describe(
                "are nested in a main class",
                type -> type.getEnclosingClass()
                        .filter(outer -> outer.getSimpleName().endsWith("Main"))
                        .isPresent());
    }

    private static DescribedPredicate<JavaClass> pure() {
        return DescribedPredicate.describe(
                "pure by their name",
                type -> type.isTopLevelClass() && type.getSimpleName().matches(".*(Rules|Planner|Conditions|Names)"));
    }

    private static ArchCondition<JavaClass> notCallBlockingMethods() {
        var owners = Set.of(
                "java.util.concurrent.Future",
                "java.util.concurrent.CompletableFuture",
                "io.netty.util.concurrent.Future",
                "io.netty.util.concurrent.Promise",
                "io.netty.channel.ChannelFuture",
                "io.netty.channel.ChannelPromise",
                "java.lang.Thread",
                "java.util.concurrent.CountDownLatch");
        var blocking = Set.of("get", "join", "sync", "syncUninterruptibly", "await", "awaitUninterruptibly", "sleep");
        return new ArchCondition<>("not call a method that blocks") {
            @Override
            public void check(JavaClass handler, ConditionEvents events) {
                for (JavaMethodCall call : handler.getMethodCallsFromSelf()) {
                    if (owners.contains(call.getTargetOwner().getName()) && blocking.contains(call.getName())) {
                        events.add(SimpleConditionEvent.violated(call, call.getDescription()));
                    }
                }
            }
        };
    }

    private static ArchCondition<JavaClass> resideInANullMarkedPackage() {
        return new ArchCondition<>("reside in a package that is @NullMarked") {
            @Override
            public void check(JavaClass type, ConditionEvents events) {
                var generated = type.getPackageName().startsWith("io.rstream.protocol.wire");
                if (!generated && !type.getPackage().isAnnotatedWith("org.jspecify.annotations.NullMarked")) {
                    events.add(SimpleConditionEvent.violated(type, type.getPackageName() + " is not @NullMarked"));
                }
            }
        };
    }
}
